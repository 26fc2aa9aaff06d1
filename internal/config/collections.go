package config

import (
	"cmp"
	"fmt"
	"regexp"

	"example.com/relationindex/chunker"
	"example.com/relationindex/relations"
)

// Collections are the configured names, the prefix included. With
// [Functions.JobsCollection] they are all that names collections.
func (f Functions) Collections() relations.Collections {
	c := relations.Collections{
		Users: f.Users, Followers: f.Followers, FollowersIndex: f.FollowersIndex,
		Following: f.Following, Posts: f.Posts, Relations: f.Relations, Blocked: f.Blocked,
	}.WithDefaults()
	c.Users, c.Posts, c.Relations = f.Prefix+c.Users, f.Prefix+c.Posts, f.Prefix+c.Relations
	return c
}

// JobsCollection is the configured name of the collection of jobs, the prefix included.
func (f Functions) JobsCollection() string {
	return f.Prefix + cmp.Or(f.Jobs, chunker.DefaultCollection)
}

// collection is one of the collections.
type collection struct {
	variable string // that names it, without the prefix
	value    string // of the variable
	standard string // its name where nothing is configured: what the files at the root say
	name     string // its configured name
	top      bool   // it stands at the top, else below a user
}

func (c collection) where() string {
	if c.top {
		return "at the top"
	}
	return "below users"
}

// collections are all of them, users first.
func (f Functions) collections() []collection {
	d, c := relations.Collections{}.WithDefaults(), f.Collections()
	return []collection{
		{"RELATIONINDEX_USERS", f.Users, d.Users, c.Users, true},
		{"RELATIONINDEX_POSTS", f.Posts, d.Posts, c.Posts, true},
		{"RELATIONINDEX_RELATIONS", f.Relations, d.Relations, c.Relations, true},
		{"RELATIONINDEX_JOBS", f.Jobs, chunker.DefaultCollection, f.JobsCollection(), true},
		{"RELATIONINDEX_FOLLOWERS", f.Followers, d.Followers, c.Followers, false},
		{"RELATIONINDEX_FOLLOWERS_INDEX", f.FollowersIndex, d.FollowersIndex, c.FollowersIndex, false},
		{"RELATIONINDEX_FOLLOWING", f.Following, d.Following, c.Following, false},
		{"RELATIONINDEX_BLOCKED", f.Blocked, d.Blocked, c.Blocked, false},
	}
}

// A name stands in paths of rules and in patterns of triggers, where other
// characters would mean something else.
var (
	plainName   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,127}$`)
	plainPrefix = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_-]{0,31})?$`)
)

// validateNames reports names that cannot be, and those that would mix two
// collections up. Indexes are kept by the id of a collection, wherever it
// stands, so that all names must differ.
func (f Functions) validateNames() []error {
	var errs []error
	if !plainPrefix.MatchString(f.Prefix) {
		errs = append(errs, fmt.Errorf("RELATIONINDEX_PREFIX=%q: must be letters, digits, _ and -, at most 32, not beginning with a digit or -", f.Prefix))
	}
	all := f.collections()
	for i, c := range all {
		if c.value == "" {
			continue
		}
		if !plainName.MatchString(c.value) || relations.CheckID(c.name) != nil { // the latter: __name__ is Firestore's own
			errs = append(errs, fmt.Errorf("%s=%q: must be letters, digits, _ and -, at most 128, not beginning with a digit or -, not __ at both ends", c.variable, c.value))
		}
		for j, other := range all {
			if i != j && (c.name == other.name && (j < i || other.value == "") || c.name == other.standard) {
				errs = append(errs, fmt.Errorf("%s=%q: is the name of another collection, that of %s: each must have its own", c.variable, c.value, other.variable))
				break
			}
		}
	}
	return errs
}
