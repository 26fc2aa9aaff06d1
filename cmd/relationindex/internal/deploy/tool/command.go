package tool

import (
	"regexp"
	"slices"
	"strings"
)

// Command is a program and its arguments, as they are, without a shell. In an
// argument, $NAME stands for a variable of the plan.
type Command struct {
	Args []string `json:"args"`
	// Sets is the variable that the output becomes, without the line's end; "": none.
	Sets string `json:"sets,omitempty"`
	// Each is a variable with lines: the command is run once for each, as $LINE.
	Each string `json:"each,omitempty"`
}

// The variables of a plan. Other text with a dollar in it is only that.
const (
	VarWork   = "WORK"      // the directory with the files that commands read
	VarSource = "SOURCE"    // the digest of what is uploaded
	VarSweep  = "SWEEP_URL" // where Sweep is called
	VarNow    = "DEPLOYED"  // when the deployment began, in UTC
	VarID     = "ID"        // what one command finds for the next
	VarIDs    = "IDS"
	VarLine   = "LINE"
)

var variable = regexp.MustCompile(`\$(WORK|SOURCE|SWEEP_URL|DEPLOYED|IDS?|LINE)\b`)

// Gcloud is a command of the gcloud command line, which asks nothing. Its
// arguments are what it is called on first, and then flags as --name=value.
func Gcloud(args ...string) Command {
	return Command{Args: append(append([]string{"gcloud"}, args...), "--quiet")}
}

// Firebase is a command of firebase-tools, which asks nothing.
func Firebase(args ...string) Command {
	return Command{Args: append(append([]string{"firebase"}, args...), "--non-interactive")}
}

// Exactly is the term of a gcloud filter that a field has a value, and nothing
// before or behind it. "=" is about to match words, as gcloud warns, of which "-"
// begins a new one: it would find what is another deployment's.
func Exactly(field, value string) string { return field + `~"^` + literally(value) + `$"` }

// literally is a text as a regular expression has it. Backslashes would be the filter's.
func literally(text string) string { return special.ReplaceAllString(text, "[$0]") }

var special = regexp.MustCompile(`[.+*?()|{}$]`)

// Filter is the flag with terms that must all hold.
func Filter(terms ...string) string { return "--filter=" + strings.Join(terms, " AND ") }

// Setting is the command with its output in a variable.
func (c Command) Setting(name string) Command {
	c.Sets = name
	return c
}

// Expand is the arguments with the values of variables.
func (c Command) Expand(values map[string]string) []string {
	out := slices.Clone(c.Args)
	for i, arg := range out {
		out[i] = variable.ReplaceAllStringFunc(arg, func(name string) string { return values[name[1:]] })
	}
	return out
}

// String is the command as a POSIX shell takes it.
func (c Command) String() string {
	words := make([]string, len(c.Args))
	for i, arg := range c.Args {
		words[i] = quote(arg)
	}
	text := strings.Join(words, " ")
	if c.Sets != "" {
		text = c.Sets + "=$(" + text + ")"
	}
	if c.Each != "" {
		text = "for " + VarLine + " in $" + c.Each + "; do " + text + "; done"
	}
	return text
}

var (
	plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)
	flag  = regexp.MustCompile(`^--[a-z0-9-]+=`)
)

// quote is one word of a shell: a flag's value by itself, and variables so that
// the shell fills them in.
func quote(arg string) string {
	name := flag.FindString(arg)
	rest := arg[len(name):]
	var out strings.Builder
	out.WriteString(name)
	if rest == "" && name == "" {
		return "''"
	}
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
