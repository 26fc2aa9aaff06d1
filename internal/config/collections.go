package config

import (
	"cmp"
	"fmt"

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
func plainName(s string) bool   { return s != "" && isPlain(s, 128) }
func plainPrefix(s string) bool { return isPlain(s, 32) }

// isPlain says whether s is letters, digits, _ and -, not beginning with one of
// the latter two but for _. No regular expression: those cost each start of an instance.
func isPlain(s string, most int) bool {
	for i, c := range s {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return len(s) <= most
}

// validateNames reports names that would mix two collections up, and those that
// are Firestore's own with the prefix. Indexes are kept by the id of a
// collection, wherever it stands, so that all names must differ.
func (f Functions) validateNames() []error {
	var errs []error
	all := f.collections()
	for i, c := range all {
		if c.value == "" || !plainName(c.value) {
			continue // the default, or refused already
		}
		if plainPrefix(f.Prefix) && relations.CheckID(c.name) != nil {
			errs = append(errs, fmt.Errorf("%s=%q: must not be __ at both ends, as %s is", c.variable, c.value, c.name))
		}
		for j, other := range all {
			if i != j && (c.name == other.name && (j < i || other.value == "") || c.name == other.standard) {
				errs = append(errs, fmt.Errorf("%s=%q: must be a name of its own: %s is that of %s", c.variable, c.value, c.name, other.variable))
				break
			}
		}
	}
	return errs
}
