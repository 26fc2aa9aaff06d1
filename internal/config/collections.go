package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"example.com/relationindex/schema/names"
)

// Collections returns the names of the collections, defaults included.
func (f Functions) Collections() names.Collections {
	return names.Collections{Users: f.Users, Followers: f.Followers, Posts: f.Posts}.WithDefaults()
}

// collection is a collection that you may rename.
type collection struct {
	variable string
	value    string // of the variable; "": the default
	name     string
}

func (f Functions) collections() []collection {
	c := f.Collections()
	return []collection{
		{"RELATIONINDEX_USERS", f.Users, c.Users},
		{"RELATIONINDEX_POSTS", f.Posts, c.Posts},
		{"RELATIONINDEX_FOLLOWERS", f.Followers, c.Followers},
	}
}

// isCollection reports whether s can be the name of a collection. The name stands in
// paths of rules and patterns of triggers, where other characters have a meaning.
func isCollection(s string) bool { return isName(s) && !isReserved(s) }

// isReserved reports whether Firestore keeps a name for itself: one that begins and ends
// with __.
func isReserved(s string) bool {
	return len(s) >= 4 && strings.HasPrefix(s, "__") && strings.HasSuffix(s, "__")
}

// isName reports whether s has 1 to 128 letters, digits, _ and -, and does not begin with
// a digit or -. It uses no regular expression, because compiling one slows each start of
// an instance.
func isName(s string) bool {
	for i, c := range s {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != "" && len(s) <= 128
}

// validateNames reports names that two collections share. Firestore keeps indexes by
// collection id, at any level, so all names must differ.
func (f Functions) validateNames() (errs []error) {
	const ours = "a collection that the functions use"
	taken := map[string]string{names.Relations: ours, names.FollowersIndex: ours, names.Following: ours, names.Jobs: ours, names.Timeline: ours, names.Blocked: "the collection of blocks"}
	for _, c := range f.collections() {
		if other, ok := taken[c.name]; ok {
			errs = append(errs, fmt.Errorf("%s=%q: must be a unique name, but it is %s", c.variable, c.name, other))
		}
		taken[c.name] = "that of " + c.variable
	}
	return errs
}

// CheckRules reports each renamed collection without a match in the text of
// firestore.rules. It also reports each whose default name is still in a path. CheckRules
// only searches the text, so success proves nothing. It also rejects the rules of an app
// that has another collection with the default name.
func (f Functions) CheckRules(rules []byte) error {
	text := BareRules(string(rules))
	matches := func(name string) bool { return regexp.MustCompile(`match\s+/(\S*/)?` + name + `/`).MatchString(text) }
	var errs []error
	standard := Functions{}.collections()
	for i, c := range f.collections() {
		was := standard[i].name
		if c.name == was {
			continue
		}
		if !matches(c.name) {
			errs = append(errs, fmt.Errorf("%s=%q: firestore.rules has no match /%s/{…}: rename the collection there too", c.variable, c.value, c.name))
		}
		if matches(was) || strings.Contains(text, "/documents/"+was+"/") || strings.Contains(text, "/"+was+"/$(") {
			errs = append(errs, fmt.Errorf("%s=%q: firestore.rules still names /%s/ in a match, or in a path of exists() or get(): rename the collection there too", c.variable, c.value, was))
		}
	}
	return errors.Join(errs...)
}

// BareRules returns the text of rules without comments. It also removes parts of strings
// that look like comments.
func BareRules(text string) string {
	return regexp.MustCompile(`//[^\n]*|(?s:/\*.*?\*/)`).ReplaceAllString(text, "")
}
