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

// Blocks returns the match blocks of rules: by their path, with {} for each wildcard and
// without the database's, what they hold beside the blocks inside them. It reads text that
// compiles; of other text it returns what it finds.
func Blocks(rules string) map[string]string {
	text := config.BareRules(rules)
	blocks := map[string]string{}
	type open struct {
		path  string // of all blocks down to this one
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
			say("") // there, even if it is empty
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

// maxDepth is far more than rules have: paths have at most 100 collections.
const maxDepth = 300

var (
	// match begins a block: match /users/{userId} {
	match    = regexp.MustCompile(`^\bmatch\s+((?:/(?:\{[^{}\s]*\}|[^{}\s/]*))+)\s*\{`)
	wildcard = regexp.MustCompile(`\{[^{}]*\}`)
	// token is a text in quotes, a brace, a word, blanks, or another character.
	token = regexp.MustCompile(`^(?s:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z0-9_$]+|\s+|.)`)
)

// generic is a wildcard without its name.
func generic(wildcard string) string {
	if strings.Contains(wildcard, "**") {
		return "{**}"
	}
	return "{}"
}

// Changes are the match blocks in which rules differ, by their paths.
type Changes struct{ Gone, Added, Changed []string }

// Between compares the blocks of rules before with those after.
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

// The most that [Diff] returns.
const (
	maxDiffLines = 300
	maxDiffLine  = 160 // bytes
	maxDiffAdded = 10  // one after the other: a file of ours is there to be read, what goes is not
)

// Diff returns a unified diff of rules. Of long runs of added lines it has the first, and
// how many follow.
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
