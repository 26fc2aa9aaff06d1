package config

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// rulesText is what rendering has to know of firestore.rules: where its paths
// name collections. It is no parser of the language; what it cannot be sure
// of is an error.
type rulesText struct {
	text []byte
	code []byte // text with spaces in place of comments and strings
	body [2]int // offsets of what is between the service's braces
	// places are the names of collections, in the order of the text.
	places []place
}

// place is the name of a collection in a path.
type place struct {
	start, end int
	name       string
	parent     string // the collection above it; "" at the top, anywhere behind a {path=**}
	rule       bool   // in a match, not in a call or a comment
}

// anywhere is the parent of a collection that may be at any depth.
const anywhere = "**"

// rulesSyntax is compiled when rules are rendered, and not when an instance of
// a function starts, which has no use for it.
type rulesSyntax struct {
	version, service, match, base, call, callWithPath, path *regexp.Regexp
}

var syntax = sync.OnceValue(func() rulesSyntax {
	return rulesSyntax{
		version:      regexp.MustCompile(`\brules_version\s*=`),
		service:      regexp.MustCompile(`\bservice\s+cloud\.firestore\s*\{`),
		match:        regexp.MustCompile(`\bmatch\s+(/\S*)\s*\{`),
		base:         regexp.MustCompile(`^/databases/\{\w+\}/documents`),
		call:         regexp.MustCompile(`(?:^|[^.\w])(?:get|exists|getAfter|existsAfter|path)\s*\(`),
		callWithPath: regexp.MustCompile(`^[^.\w]?(?:get|exists|getAfter|existsAfter)\s*\(\s*/databases/\$\(\w+\)/documents/`),
		path:         regexp.MustCompile(`/databases/\$\(\w+\)/documents((?:/(?:[A-Za-z0-9_-]+|\$\([^()\s]*\)))+)`),
	}
})

// readRules finds the places. The error names the line of what it does not understand.
func readRules(text []byte) (*rulesText, error) {
	code, err := maskRules(text)
	if err != nil {
		return nil, err
	}
	r := &rulesText{text: text, code: code}
	services := syntax().service.FindAllIndex(code, -1)
	if len(services) != 1 || len(syntax().version.FindAllIndex(code, -1)) != 1 {
		return nil, errors.New("must have one rules_version and one service cloud.firestore")
	}
	if err := r.matches(services[0][1]); err != nil {
		return nil, err
	}
	return r, r.calls()
}

// matches walks the braces from the service's own on, and finds the places in match statements.
func (r *rulesText) matches(from int) error {
	heads := map[int][]int{}
	for _, m := range syntax().match.FindAllSubmatchIndex(r.code, -1) {
		heads[m[0]] = m
	}
	open := []string{""} // the path of each brace that is open
	for i := from; i < len(r.code); i++ {
		above := open[len(open)-1]
		if m, ok := heads[i]; ok {
			path := string(r.code[m[2]:m[3]])
			if err := r.match(above, path, m[2]); err != nil {
				return err
			}
			open = append(open, above+path)
			i = m[1] - 1
			continue
		}
		switch r.code[i] {
		case '{':
			open = append(open, above)
		case '}':
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			if rest := bytes.TrimSpace(r.code[i+1:]); len(rest) > 0 {
				return fmt.Errorf("line %d: more than one service", r.line(i+1))
			}
			r.body = [2]int{from, i}
			return nil
		}
	}
	return errors.New("a brace is not closed")
}

// match notes the places of one match statement at an offset, given the path above it.
func (r *rulesText) match(above, path string, at int) error {
	full := above + path
	base := syntax().base.FindString(full)
	if base == "" {
		return fmt.Errorf("line %d: match %s: must be below /databases/{database}/documents", r.line(at), full)
	}
	r.note(full[len(base):], at-len(above)+len(base), at, true)
	return nil
}

// calls finds the places in whole paths, in code and in comments. A call that
// reads a document by any other path is an error.
func (r *rulesText) calls() error {
	for _, m := range syntax().call.FindAllIndex(r.code, -1) {
		if !syntax().callWithPath.Match(r.code[m[0]:]) {
			return fmt.Errorf("line %d: a document is read by a path that does not begin with /databases/$(database)/documents/", r.line(m[1]))
		}
	}
	for _, m := range syntax().path.FindAllSubmatchIndex(r.text, -1) {
		r.note(string(r.text[m[2]:m[3]]), m[2], m[2], false)
	}
	return nil
}

// note notes the places in a path below the database that begins at an offset,
// but for those before from.
func (r *rulesText) note(path string, at, from int, rule bool) {
	var above []string // collections
	for i, segment := range strings.Split(path, "/")[1:] {
		at++ // the slash
		plain := !strings.HasPrefix(segment, "{") && !strings.HasPrefix(segment, "$")
		if strings.Contains(segment, "=**}") {
			above = []string{anywhere}
		} else if plain && (i%2 == 0 || slices.Contains(above, anywhere)) {
			if at >= from {
				r.places = append(r.places, place{at, at + len(segment), segment, strings.Join(above, "/"), rule})
			}
			above = append(above, segment)
		} else if i%2 == 0 {
			above = append(above, segment)
		}
		at += len(segment)
	}
}

func (r *rulesText) line(at int) int { return 1 + bytes.Count(r.text[:at], []byte("\n")) }

// maskRules is text with a space for every byte of a comment or a string but the ends of lines.
func maskRules(text []byte) ([]byte, error) {
	code := bytes.Clone(text)
	for i := 0; i < len(text); {
		var end int
		rest := text[i:]
		switch {
		case bytes.HasPrefix(rest, []byte("//")):
			end = bytes.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			end = bytes.Index(rest[2:], []byte("*/")) + 4
			if end < 4 {
				return nil, errors.New("a comment is not closed")
			}
		case rest[0] == '\'' || rest[0] == '"':
			if end = stringEnd(rest); end < 0 {
				return nil, errors.New("a string is not closed")
			}
		default:
			i++
			continue
		}
		for j := i; j < i+end; j++ {
			if code[j] != '\n' {
				code[j] = ' '
			}
		}
		i += end
	}
	return code, nil
}

// stringEnd is where the string ends that text begins with; -1: it does not on this line.
func stringEnd(text []byte) int {
	for i := 1; i < len(text) && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return -1
}
