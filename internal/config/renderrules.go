package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Rules is file, a firestore.rules, with the configured names of the
// collections in place of the default ones, in matches and in the paths of
// documents that rules read. All else stays as it is, comments too. A
// collection that the file has by its configured name is left alone: what is
// rendered can be rendered again.
//
// The error says which line is not understood, or which collection the rules
// do not name: half a set of rules would open or close what nobody expects.
func (f Functions) Rules(file []byte) ([]byte, error) {
	r, err := readRules(file)
	if err != nil {
		return nil, fmt.Errorf("firestore.rules: %w", err)
	}
	var changes []place // name is the new one
	var errs []error
	for _, c := range f.collections() {
		if c.name == c.standard {
			continue
		}
		standard, err := f.places(r, c, c.standard)
		known, again := f.places(r, c, c.name)
		switch {
		case err != nil || again != nil:
			errs = append(errs, errors.Join(err, again))
		case isRule(known):
		case isRule(standard):
			for _, p := range standard {
				p.name = c.name
				changes = append(changes, p)
			}
		default:
			errs = append(errs, fmt.Errorf("firestore.rules: no match for the collection %s or %s, which is %s", c.name, c.standard, c.where()))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	slices.SortFunc(changes, func(a, b place) int { return a.start - b.start })
	var out bytes.Buffer
	done := 0
	for _, p := range changes {
		out.Write(file[done:p.start])
		out.WriteString(p.name)
		done = p.end
	}
	out.Write(file[done:])
	return out.Bytes(), nil
}

// places are those where the rules name a collection c by name.
func (f Functions) places(r *rulesText, c collection, name string) (found []place, err error) {
	users := f.collections()[0]
	for _, p := range r.places {
		switch {
		case p.name != name:
		case strings.HasPrefix(p.parent, anywhere):
			return nil, fmt.Errorf("firestore.rules: line %d: cannot tell whether %s is the collection that is %s", r.line(p.start), name, c.where())
		case c.top && p.parent == "", !c.top && (p.parent == users.standard || p.parent == users.name):
			found = append(found, p)
		}
	}
	return found, nil
}

func isRule(places []place) bool {
	return slices.ContainsFunc(places, func(p place) bool { return p.rule })
}

// MergeRules is one firestore.rules with the matches of all files, for a
// database that several copies of the system share: rules allow what any of
// the matches allows. What stands around the service is the first file's.
func MergeRules(files ...[]byte) ([]byte, error) {
	var bodies []string
	var first *rulesText
	for _, file := range files {
		r, err := readRules(file)
		if err != nil {
			return nil, fmt.Errorf("firestore.rules: %w", err)
		}
		if first == nil {
			first = r
		}
		body := strings.Trim(string(file[r.body[0]:r.body[1]]), "\n")
		if !slices.Contains(bodies, body) {
			bodies = append(bodies, body)
		}
	}
	if first == nil {
		return nil, errors.New("firestore.rules: no file")
	}
	head, tail := first.text[:first.body[0]], first.text[first.body[1]:]
	return []byte(string(head) + "\n" + strings.Join(bodies, "\n\n") + "\n" + string(tail)), nil
}
