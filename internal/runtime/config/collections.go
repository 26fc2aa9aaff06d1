package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"example.com/relationindex/chunker"
	"example.com/relationindex/relations"
)

// Collections are the configured names.
func (f Functions) Collections() relations.Collections {
	return relations.Collections{Users: f.Users, Followers: f.Followers, Posts: f.Posts}.WithDefaults()
}

// collection is one that may be renamed.
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

// isCollection says whether s can be the name of a collection. It stands in paths of
// rules and in patterns of triggers, where other characters would mean something else.
func isCollection(s string) bool { return isName(s) && relations.CheckID(s) == nil }

// isName says whether s is letters, digits, _ and -, at most 128, not beginning
// with a digit or -. No regular expression: those cost each start of an instance.
func isName(s string) bool {
	for i, c := range s {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != "" && len(s) <= 128
}

// validateNames reports names that two collections would have. Firestore keeps
// indexes by the id of a collection, wherever it stands, so that all must differ.
func (f Functions) validateNames() (errs []error) {
	const ours = "one of the functions' own"
	taken := map[string]string{relations.Relations: ours, relations.FollowersIndex: ours, relations.Following: ours, chunker.DefaultCollection: ours, relations.Blocked: "that of blocks"}
	for _, c := range f.collections() {
		if other, ok := taken[c.name]; ok {
			errs = append(errs, fmt.Errorf("%s=%q: must be a name of its own: it is %s", c.variable, c.name, other))
		}
		taken[c.name] = "that of " + c.variable
	}
	return errs
}

// CheckRules reports each renamed collection that a firestore.rules has no match
// for, and each whose default name is still in a path of it. It only looks at the
// text, so it proves nothing. Rules of an app that has a collection of the default
// name beside the renamed one are refused too.
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

// BareRules is the text of rules without its comments. What looks like one in a
// string goes too.
func BareRules(text string) string {
	return regexp.MustCompile(`//[^\n]*|(?s:/\*.*?\*/)`).ReplaceAllString(text, "")
}
