package deploy

import (
	"regexp"
	"slices"
	"strings"
)

// Command is a program and its arguments, without a shell. In an argument, $NAME stands
// for a variable of the plan.
type Command struct {
	Args []string
	// Each is a command that prints words. Args run once for each word, with the word as $LINE. If Each is nil, Args run once.
	Each []string
}

// The variables of a plan. Other text with a dollar sign stays unchanged.
const (
	varWork   = "WORK"     // the directory with the files that commands read
	varSource = "SOURCE"   // the digest of the uploaded files
	varNow    = "DEPLOYED" // when the deployment began, in UTC
	varLine   = "LINE"     // see Command.Each
)

var variable = regexp.MustCompile(`\$(WORK|SOURCE|DEPLOYED|LINE)\b`)

// gcloud returns a command of gcloud that runs without prompts.
func gcloud(args ...string) Command {
	return Command{Args: append(append([]string{"gcloud"}, args...), "--quiet")}
}

// firebase returns a command of firebase-tools that runs without prompts.
func firebase(args ...string) Command {
	return Command{Args: append(append([]string{"firebase"}, args...), "--non-interactive")}
}

// each returns the command, set to run once for each word that list prints.
func (c Command) each(list Command) Command {
	c.Each = list.Args
	return c
}

// exactly returns the term of a gcloud filter that matches a field with exactly this value.
// gcloud's "=" matches words, and "-" begins a new word. So "=" would also find resources of
// another deployment.
func exactly(field, value string) string {
	return field + `~"^` + special.ReplaceAllString(value, "[$0]") + `$"`
}

var special = regexp.MustCompile(`[.+*?()|{}$]`)

// filter returns the flag --filter with terms that must all hold.
func filter(terms ...string) string { return "--filter=" + strings.Join(terms, " AND ") }

// values returns the flag --format that prints fields on one line.
func values(fields ...string) string {
	return `--format=value[separator=" "](` + strings.Join(fields, ",") + ")"
}

// Expand returns a copy of args, with each variable replaced by its value. A variable without a value stays.
func Expand(args []string, values map[string]string) []string {
	out := slices.Clone(args)
	for i, arg := range out {
		out[i] = variable.ReplaceAllStringFunc(arg, func(name string) string {
			if value, ok := values[name[1:]]; ok {
				return value
			}
			return name
		})
	}
	return out
}

// String returns the command for a POSIX shell.
func (c Command) String() string {
	if c.Each == nil {
		return quoted(c.Args)
	}
	return "for " + varLine + " in $(" + quoted(c.Each) + "); do " + quoted(c.Args) + "; done"
}

func quoted(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = quote(arg)
	}
	return strings.Join(words, " ")
}

var (
	plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)
	flag  = regexp.MustCompile(`^--[a-z0-9-]+=`)
)

// quote returns an argument as one word of a shell. It quotes a flag's value without the flag's
// name, and puts variables in double quotes, so that the shell expands them.
func quote(arg string) string {
	name := flag.FindString(arg)
	rest := arg[len(name):]
	if arg == "" {
		return "''"
	}
	var out strings.Builder
	out.WriteString(name)
	at := 0
	for _, v := range variable.FindAllStringIndex(rest, -1) {
		out.WriteString(literal(rest[at:v[0]]) + `"` + rest[v[0]:v[1]] + `"`)
		at = v[1]
	}
	out.WriteString(literal(rest[at:]))
	return out.String()
}

func literal(text string) string {
	if text == "" || plain.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
