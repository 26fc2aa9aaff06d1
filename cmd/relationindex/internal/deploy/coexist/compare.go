package coexist

import (
	"fmt"
	"slices"
	"strings"

	"example.com/relationindex/internal/indexfile"
	"example.com/relationindex/schema/names"
)

// Comparison is what an app has of the indexes that a deployment brings.
type Comparison struct {
	Composites []indexfile.Index    // of ours, missing in theirs
	Overrides  []indexfile.Override // of ours, for fields without one in theirs
	Differ     []Difference         // fields with an override of each
}

// Difference is a field whose override in the app is another than ours.
type Difference struct {
	Ours indexfile.Override
	// Theirs is the app's; nil if this program does not understand it.
	Theirs *indexfile.Override
	// Lacks are the indexes of ours that theirs does not have.
	Lacks []indexfile.Index
	// LacksTTL: ours has a time-to-live policy, and theirs none.
	LacksTTL bool
	// OtherTTL is the field of the group that has the app's time-to-live policy instead; "": none.
	OtherTTL string
	// OnlyOurs: nobody but functions writes collections of this id.
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

// onlyOurs reports whether nobody but functions writes collections of an id, so that a
// difference is one between releases.
func onlyOurs(group string) bool {
	return slices.Contains([]string{names.Relations, names.Jobs, names.FollowersIndex}, group)
}

// without returns the indexes that are not among others.
func without(indexes, others []indexfile.Index) []indexfile.Index {
	return slices.DeleteFunc(slices.Clone(indexes), func(x indexfile.Index) bool {
		return slices.ContainsFunc(others, func(o indexfile.Index) bool { return o.Scope == x.Scope && slices.Equal(o.Fields, x.Fields) })
	})
}

// Serves reports whether queries of ours find their indexes with the app's override.
func (d Difference) Serves() bool {
	return d.Theirs != nil && len(d.Lacks) == 0 && !d.LacksTTL && d.OtherTTL == ""
}

// Field is the field: comments.userId.
func (d Difference) Field() string { return d.Ours.Group + "." + d.Ours.Path }

// String says what each has: "comments.userId: the app has none; relationindex needs …".
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

// describe lists what an override has.
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

// Both is the override that serves queries of both. A time-to-live policy is only the
// app's own: another would delete documents.
func (d Difference) Both() indexfile.Override {
	both := indexfile.Override{Group: d.Ours.Group, Path: d.Ours.Path, Indexes: slices.Clone(d.Ours.Indexes)}
	if d.Theirs != nil {
		both.TTL = d.Theirs.TTL
		both.Indexes = append(slices.Clone(d.Theirs.Indexes), d.Lacks...)
		if d.Theirs.Indexes == nil { // the automatic ones stay
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
