package deploy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// The variables of a script. Other text with a dollar sign stays as it is.
const (
	varWork   = "WORK"     // the directory with the files that commands read
	varSource = "SOURCE"   // the digest of the uploaded files
	varNow    = "DEPLOYED" // when the script began, in UTC
)

var variable = regexp.MustCompile(`\$(WORK|SOURCE|DEPLOYED)\b`)

// shell returns words for a shell, with blanks between them.
func shell(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quote(word)
	}
	return strings.Join(quoted, " ")
}

var (
	plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)
	flag  = regexp.MustCompile(`^--[a-z0-9-]+=`)
)

// quote returns a word as one word of a shell. It quotes a flag's value without the flag's name, and puts variables in
// double quotes, so that the shell expands them.
func quote(word string) string {
	name := flag.FindString(word)
	rest := word[len(name):]
	if word == "" {
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

// gcloud returns a command of gcloud that runs without prompts.
func gcloud(words ...string) []string {
	return append(append([]string{"gcloud"}, words...), "--quiet")
}

// exactly returns the term of a gcloud filter that matches a field with exactly this value.
// gcloud's "=" matches words, and "-" begins a new word. So "=" would also find resources of
// another deployment.
func exactly(field, value string) string {
	return field + `~"^` + special.ReplaceAllString(value, "[$0]") + `$"`
}

var special = regexp.MustCompile(`[.+*?()|{}$]`)

// values returns the flag --format that prints fields on one line.
func values(fields ...string) string {
	return `--format=value[separator=" "](` + strings.Join(fields, ",") + ")"
}

// digest returns a digest of the parts: 32 hexadecimal digits, which fit into a label. Different parts
// have different digests.
func digest(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(sum, "%d %s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))[:32]
}
