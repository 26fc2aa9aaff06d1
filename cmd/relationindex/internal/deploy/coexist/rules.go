package coexist

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"example.com/relationindex/internal/config"
)

// Blocks returns the text of each match block by its path, without the text of inner match
// blocks. A path has {} for each wildcard, {**} for a recursive wildcard, and no
// /databases/{}/documents. From rules that do not compile, Blocks returns what it can parse.
func Blocks(rules string) map[string]string {
	text := config.BareRules(rules)
	blocks := map[string]string{}
	type open struct {
		path  string // the joined path of the outer blocks and this block
		match bool
	}
	stack := []open{{}}
	say := func(part string) {
		if at := strings.TrimPrefix(stack[len(stack)-1].path, "/databases/{}/documents"); at != "" {
			blocks[at] += part
		}
	}
	for len(text) > 0 && len(stack) < maxDepth {
		within := stack[len(stack)-1].path
		if found := match.FindStringSubmatch(text); found != nil {
			stack = append(stack, open{within + wildcard.ReplaceAllStringFunc(found[1], generic), true})
			say("") // an empty block has a key too
			text = text[len(found[0]):]
			continue
		}
		next := token.FindString(text)
		switch text = text[len(next):]; next {
		case "{":
			say(next)
			stack = append(stack, open{path: within})
		case "}":
			if len(stack) > 1 {
				closed := stack[len(stack)-1].match
				stack = stack[:len(stack)-1]
				if !closed {
					say(next)
				}
			}
		default:
			say(strings.Join(strings.Fields(next), " "))
		}
	}
	return blocks
}

// maxDepth is the maximum depth of braces. Rules have far fewer: paths have at most 100 collections.
const maxDepth = 300

var (
	// match matches the start of a block: match /users/{userId} {
	match    = regexp.MustCompile(`^\bmatch\s+((?:/(?:\{[^{}\s]*\}|[^{}\s/]*))+)\s*\{`)
	wildcard = regexp.MustCompile(`\{[^{}]*\}`)
	// token matches a text in quotes, a brace, a word, blanks, or another character.
	token = regexp.MustCompile(`^(?s:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z0-9_$]+|\s+|.)`)
)

// generic returns a wildcard without its name.
func generic(wildcard string) string {
	if strings.Contains(wildcard, "**") {
		return "{**}"
	}
	return "{}"
}

// Changes has the paths of the match blocks that differ between two texts of rules.
type Changes struct{ Gone, Added, Changed []string }

// Between compares the match blocks of two texts of rules.
func Between(before, after string) Changes {
	var c Changes
	was, is := Blocks(before), Blocks(after)
	for _, path := range slices.Sorted(maps.Keys(was)) {
		switch text, there := is[path]; {
		case !there:
			c.Gone = append(c.Gone, path)
		case text != was[path]:
			c.Changed = append(c.Changed, path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(is)) {
		if _, there := was[path]; !there {
			c.Added = append(c.Added, path)
		}
	}
	return c
}

// The limits of the text that [Diff] returns.
const (
	maxDiffLines = 300
	maxDiffLine  = 160 // bytes
	maxDiffAdded = 10  // in a row: a person can read added lines in our file, but not removed lines
)

// Diff returns a unified diff of rules. In place of a long run of added lines, the diff has the
// run's first lines, and the number of the other lines.
func Diff(nameBefore, nameAfter, before, after string) string {
	var out []string
	added := 0
	flush := func() {
		if added > maxDiffAdded {
			out = append(out, fmt.Sprintf("+… %d more lines", added-maxDiffAdded))
		}
		added = 0
	}
	lines := strings.Split(strings.TrimRight(udiff.Unified(nameBefore, nameAfter, before, after), "\n"), "\n")
	for i, line := range lines {
		if i > 1 && strings.HasPrefix(line, "+") {
			if added++; added > maxDiffAdded {
				continue
			}
		} else {
			flush()
		}
		if len(out) == maxDiffLines {
			return strings.Join(append(out, fmt.Sprintf("… %d more lines of the diff", len(lines)-i)), "\n")
		}
		if len(line) > maxDiffLine {
			line = strings.ToValidUTF8(line[:maxDiffLine], "") + "…"
		}
		out = append(out, line)
	}
	flush()
	return strings.Join(out, "\n")
}
