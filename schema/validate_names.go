package schema

import (
	"fmt"
	"strings"

	"example.com/relationindex/schema/names"
)

// collection is a collection that you may rename.
type collection struct {
	variable string
	value    string // of the variable; "": the default
	name     string
}

func (c Config) collections() []collection {
	n := c.Collections()
	return []collection{
		{"RELATIONINDEX_USERS", c.Users, n.Users},
		{"RELATIONINDEX_POSTS", c.Posts, n.Posts},
		{"RELATIONINDEX_FOLLOWERS", c.Followers, n.Followers},
	}
}

// isCollection reports whether s can be the name of a collection. The name is part of paths of rules and
// patterns of triggers, where other characters have a meaning.
func isCollection(s string) bool { return isName(s) && !isReserved(s) }

// isReserved reports whether Firestore reserves a name: one that begins and ends with __.
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
func (c Config) validateNames() (errs []error) {
	const ours = "a collection that the functions use"
	taken := map[string]string{names.Relations: ours, names.FollowersIndex: ours, names.Following: ours, names.Jobs: ours, names.Timeline: ours, names.Blocked: "the collection of blocks"}
	for _, col := range c.collections() {
		if other, ok := taken[col.name]; ok {
			errs = append(errs, fmt.Errorf("%s=%q: must be a unique name, but it is %s", col.variable, col.name, other))
		}
		taken[col.name] = "that of " + col.variable
	}
	return errs
}
