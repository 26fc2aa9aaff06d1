package indexfile

import (
	"encoding/json"
	"slices"
	"strings"
)

// Mode is how an index holds a field.
type Mode string

// The modes, as the file spells them.
const (
	Ascending  Mode = "ASCENDING"
	Descending Mode = "DESCENDING"
	Contains   Mode = "CONTAINS" // each element of an array
)

// Scope is the range of a query that an index serves.
type Scope string

// The scopes, as the file spells them. An index serves only queries of its own scope.
const (
	Collection      Scope = "COLLECTION"       // one collection
	CollectionGroup Scope = "COLLECTION_GROUP" // all collections of one id
)

// Name is the path of the document's name in indexes and queries.
const Name = "__name__"

// Index is an index of the collections of one id. It is automatic if it has one field,
// and composite otherwise. An index on __name__ alone is a composite.
type Index struct {
	Group  string // collection id
	Scope  Scope
	Fields []Field
}

// Field is a part of an index.
type Field struct {
	Path string // "a.b" is b in the map a
	Mode Mode
}

// String returns the index in short form: "(followers CONTAINS, createdAt DESCENDING)".
func (x Index) String() string {
	parts := make([]string, len(x.Fields))
	for i, f := range x.Fields {
		parts[i] = f.Path + " " + string(f.Mode)
	}
	s := "(" + strings.Join(parts, ", ") + ")"
	if x.Scope == CollectionGroup {
		s += " of the collection group"
	}
	return s
}

// part is a field of a composite index, or a single-field index of an override.
type part struct {
	FieldPath   string `json:"fieldPath,omitempty"`
	Order       Mode   `json:"order,omitempty"`
	ArrayConfig Mode   `json:"arrayConfig,omitempty"`
	QueryScope  Scope  `json:"queryScope,omitempty"`
}

func (m Mode) part(path string, scope Scope) part {
	if m == Contains {
		return part{FieldPath: path, ArrayConfig: m, QueryScope: scope}
	}
	return part{FieldPath: path, Order: m, QueryScope: scope}
}

// JSON returns the index as an element of the file's "indexes".
func (x Index) JSON() string {
	out := struct {
		CollectionGroup string `json:"collectionGroup"`
		QueryScope      Scope  `json:"queryScope"`
		Fields          []part `json:"fields"`
	}{CollectionGroup: x.Group, QueryScope: x.Scope}
	for _, f := range x.Fields {
		out.Fields = append(out.Fields, f.Mode.part(f.Path, ""))
	}
	text, _ := json.Marshal(out) // strings only
	return string(text)
}

// OverrideJSON returns a single-field index as an element of the file's "fieldOverrides",
// together with the indexes that the field already has.
func (x Index) OverrideJSON(has []Index) string {
	out := struct {
		CollectionGroup string `json:"collectionGroup"`
		FieldPath       string `json:"fieldPath"`
		Indexes         []part `json:"indexes"`
	}{CollectionGroup: x.Group, FieldPath: x.Fields[0].Path}
	for _, i := range append(slices.Clone(has), x) {
		out.Indexes = append(out.Indexes, i.Fields[0].Mode.part("", i.Scope))
	}
	text, _ := json.Marshal(out) // strings only
	return string(text)
}

// JSON returns the override as an element of the file's "fieldOverrides".
func (o Override) JSON() string {
	out := struct {
		CollectionGroup string  `json:"collectionGroup"`
		FieldPath       string  `json:"fieldPath"`
		TTL             bool    `json:"ttl,omitempty"`
		Indexes         *[]part `json:"indexes,omitempty"`
	}{CollectionGroup: o.Group, FieldPath: o.Path, TTL: o.TTL}
	if o.Indexes != nil {
		indexes := []part{}
		for _, x := range o.Indexes {
			indexes = append(indexes, x.Fields[0].Mode.part("", x.Scope))
		}
		out.Indexes = &indexes
	}
	text, _ := json.Marshal(out) // strings only
	return string(text)
}

// File is a parsed firestore.indexes.json.
type File struct {
	Indexes   []Index // the composites
	Overrides []Override
}

// Override is an entry of fieldOverrides: it changes the automatic indexes of a field.
type Override struct {
	Group string
	// Path is the field; "*" is every field of the group that has no override
	// of its own.
	Path string
	TTL  bool
	// Indexes are the field's single-field indexes in place of the automatic
	// ones; empty: it has none. Nil: the automatic ones stay (a TTL only).
	Indexes []Index
}

// Composites returns the composite indexes of a collection id, of both scopes.
func (f *File) Composites(group string) []Index {
	var found []Index
	for _, x := range f.Indexes {
		if x.Group == group {
			found = append(found, x)
		}
	}
	return found
}

// Automatic returns the single-field indexes of a field. Without an override, these are
// three of the scope COLLECTION: ascending, descending, and one of an array's elements. A
// field inside a map inherits the map's override, unless it has its own.
func (f *File) Automatic(group, path string) []Index {
	for p := path; p != ""; p = parent(p) {
		if o, ok := f.override(group, p); ok {
			return at(o.Indexes, path)
		}
	}
	if o, ok := f.override(group, "*"); ok {
		return at(o.Indexes, path)
	}
	automatic := make([]Index, 0, 3)
	for _, m := range []Mode{Ascending, Descending, Contains} {
		automatic = append(automatic, Index{group, Collection, []Field{{path, m}}})
	}
	return automatic
}

// override returns the override that sets the indexes of exactly this
// path, if there is one.
func (f *File) override(group, path string) (Override, bool) {
	for _, o := range f.Overrides {
		if o.Group == group && o.Path == path && o.Indexes != nil {
			return o, true
		}
	}
	return Override{}, false
}

// at returns the indexes of an override for one of the fields that inherit it.
func at(indexes []Index, path string) []Index {
	out := make([]Index, len(indexes))
	for i, x := range indexes {
		out[i] = Index{x.Group, x.Scope, []Field{{path, x.Fields[0].Mode}}}
	}
	return out
}

// parent returns the path of the map that holds the field at path; "" at the top. Names
// that contain dots are quoted: "a.`b.c`".
func parent(path string) string {
	quoted := false
	for i := len(path) - 1; i >= 0; i-- {
		switch path[i] {
		case '`':
			quoted = !quoted
		case '.':
			if !quoted {
				return path[:i]
			}
		}
	}
	return ""
}
