package coexist

import (
	"fmt"
	"slices"
	"strings"

	"example.com/relationindex/internal/indexfile"
	"example.com/relationindex/schema/names"
)

// Comparison has the differences between an app's indexes and a deployment's.
type Comparison struct {
	Composites []indexfile.Index    // our indexes that the app lacks
	Overrides  []indexfile.Override // our overrides of fields that the app does not override
	Differ     []Difference         // fields with another override or time-to-live policy in the app
}

// Difference is a field with other settings in the app: the app has another override of the field, or a time-to-live
// policy on another field of the group.
type Difference struct {
	Ours indexfile.Override
	// Theirs is the app's override; nil if the app has none, or this program does not understand it.
	Theirs *indexfile.Override
	// Lacks lists our indexes that the app's override lacks.
	Lacks []indexfile.Index
	// LacksTTL: our override has a time-to-live policy, and the app's has none.
	LacksTTL bool
	// OtherTTL is another field of the group, which has the app's time-to-live policy; "": none.
	OtherTTL string
	// OnlyOurs: only functions write collections with this id.
	OnlyOurs bool
}

// Compare returns our indexes and overrides that the app lacks, and the overrides that differ.
func Compare(theirs, ours *Indexes) Comparison {
	var c Comparison
	for _, x := range ours.File.Indexes {
		if !theirs.hasComposite(x) {
			c.Composites = append(c.Composites, x)
		}
	}
	for _, o := range ours.File.Overrides {
		e, other := theirs.of(o.Group, o.Path), ""
		if t := theirs.ttl(o.Group); o.TTL && t != o.Path {
			other = t
		}
		switch {
		case e == nil && other == "":
			c.Overrides = append(c.Overrides, o)
		case e == nil:
			c.Differ = append(c.Differ, Difference{Ours: o, LacksTTL: true, OtherTTL: other, OnlyOurs: onlyOurs(o.Group)})
		default:
			d := Difference{Ours: o, Theirs: e.override, OtherTTL: other, OnlyOurs: onlyOurs(o.Group)}
			if d.Theirs == nil {
				d.Lacks = o.Indexes
			} else {
				d.LacksTTL = o.TTL && !d.Theirs.TTL
				d.Lacks = without(o.Indexes, d.Theirs.Indexes)
				if !d.LacksTTL && len(d.Lacks) == 0 && len(without(d.Theirs.Indexes, o.Indexes)) == 0 && o.TTL == d.Theirs.TTL {
					continue
				}
			}
			c.Differ = append(c.Differ, d)
		}
	}
	return c
}

// onlyOurs reports whether only functions write collections with an id. A difference in such a
// collection is between two of our releases.
func onlyOurs(group string) bool {
	return slices.Contains([]string{names.Relations, names.Jobs, names.FollowersIndex}, group)
}

// without returns the indexes that are not among others.
func without(indexes, others []indexfile.Index) []indexfile.Index {
	return slices.DeleteFunc(slices.Clone(indexes), func(x indexfile.Index) bool {
		return slices.ContainsFunc(others, func(o indexfile.Index) bool { return o.Scope == x.Scope && slices.Equal(o.Fields, x.Fields) })
	})
}

// Serves reports whether the app's override has our indexes and our time-to-live policy.
func (d Difference) Serves() bool {
	return d.Theirs != nil && len(d.Lacks) == 0 && !d.LacksTTL && d.OtherTTL == ""
}

// Field returns the group and the field: comments.userId.
func (d Difference) Field() string { return d.Ours.Group + "." + d.Ours.Path }

// String describes both overrides: "comments.userId: the app has none; relationindex needs …".
func (d Difference) String() string {
	theirs := "what this program does not understand"
	if d.Theirs != nil {
		theirs = describe(*d.Theirs)
	}
	switch {
	case d.OtherTTL != "":
		return fmt.Sprintf("%s: a collection id has one time-to-live policy, and %s has it on %s; relationindex needs it on %s", d.Field(), d.Ours.Group, d.OtherTTL, d.Ours.Path)
	case d.Serves():
		return fmt.Sprintf("%s: the app has %s; relationindex would have %s", d.Field(), theirs, describe(d.Ours))
	default:
		return fmt.Sprintf("%s: the app has %s; relationindex needs %s", d.Field(), theirs, describe(d.Ours))
	}
}

// describe lists the indexes and the policy of an override.
func describe(o indexfile.Override) string {
	var parts []string
	for _, x := range o.Indexes {
		scope := "one collection"
		if x.Scope == indexfile.CollectionGroup {
			scope = "the collection group"
		}
		parts = append(parts, fmt.Sprintf("%s of %s", x.Fields[0].Mode, scope))
	}
	switch {
	case o.Indexes == nil:
		parts = append(parts, "the automatic indexes")
	case len(parts) == 0:
		parts = append(parts, "no index")
	}
	if o.TTL {
		parts = append(parts, "a time-to-live policy, which deletes documents")
	}
	return strings.Join(parts, ", ")
}

// Both returns an override that serves the app's queries and ours. It has a time-to-live policy
// only if the app's override has one: a new policy would delete the app's documents.
func (d Difference) Both() indexfile.Override {
	both := indexfile.Override{Group: d.Ours.Group, Path: d.Ours.Path, Indexes: slices.Clone(d.Ours.Indexes)}
	if d.Theirs != nil {
		both.TTL = d.Theirs.TTL
		both.Indexes = append(slices.Clone(d.Theirs.Indexes), d.Lacks...)
		if d.Theirs.Indexes == nil { // the automatic indexes stay
			for _, mode := range []indexfile.Mode{indexfile.Ascending, indexfile.Descending, indexfile.Contains} {
				x := indexfile.Index{Group: both.Group, Scope: indexfile.Collection, Fields: []indexfile.Field{{Path: both.Path, Mode: mode}}}
				if len(without([]indexfile.Index{x}, both.Indexes)) > 0 {
					both.Indexes = append(both.Indexes, x)
				}
			}
		}
	}
	return both
}
