package coexist

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tidwall/jsonc"

	"example.com/relationindex/internal/indexfile"
)

// Indexes has the indexes of a database or a file, as firebase-tools prints and reads them.
// An entry that this program does not understand, such as a vector index, stays unchanged.
type Indexes struct {
	// File has the entries that this program understands.
	File indexfile.File

	composites, overrides []entry
}

// entry is an element of "indexes" or "fieldOverrides".
type entry struct {
	raw   json.RawMessage
	group string
	field string // of an override

	// One of the two is set if this program understands the entry.
	composite *indexfile.Index
	override  *indexfile.Override
}

// ParseIndexes parses the text of a firestore.indexes.json, with comments or without.
func ParseIndexes(text []byte) (*Indexes, error) {
	text = jsonc.ToJSON(text)
	if at := bytes.IndexByte(text, '{'); at > 0 { // firebase-tools may print a message first
		text = text[at:]
	}
	var top struct{ Indexes, FieldOverrides []json.RawMessage }
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&top); err != nil {
		return nil, fmt.Errorf("indexes: %w", err)
	}
	x := &Indexes{}
	for _, raw := range top.Indexes {
		e, err := understand("indexes", raw)
		if err != nil {
			return nil, err
		}
		if e.composite != nil {
			x.File.Indexes = append(x.File.Indexes, *e.composite)
		}
		x.composites = append(x.composites, e)
	}
	for _, raw := range top.FieldOverrides {
		e, err := understand("fieldOverrides", raw)
		if err != nil {
			return nil, err
		}
		if e.override != nil {
			x.File.Overrides = append(x.File.Overrides, *e.override)
		}
		x.overrides = append(x.overrides, e)
	}
	return x, nil
}

// understand decodes an element of a list of the file.
func understand(list string, raw json.RawMessage) (entry, error) {
	e := entry{raw: raw}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		return e, fmt.Errorf("indexes: %s: %w", list, err)
	}
	e.group, _ = fields["collectionGroup"].(string)
	e.field, _ = fields["fieldPath"].(string)
	withoutDefaults(fields)
	text, err := json.Marshal(map[string][]any{list: {fields}})
	if err != nil {
		return e, err
	}
	file, err := indexfile.Parse(text)
	switch {
	case err != nil: // kept, and compared with nothing
	case len(file.Indexes) > 0:
		x := file.Indexes[0]
		x.Fields = withoutName(x.Fields)
		e.composite = &x
	case len(file.Overrides) > 0:
		e.override = &file.Overrides[0]
	}
	return e, nil
}

// withoutDefaults removes the values that a Standard edition database prints for every index.
func withoutDefaults(fields map[string]any) {
	for key, usual := range map[string]any{"apiScope": "ANY_API", "density": "SPARSE_ALL", "multikey": false, "unique": false} {
		if fields[key] == usual {
			delete(fields, key)
		}
	}
	indexes, _ := fields["indexes"].([]any)
	for _, index := range indexes {
		if inner, ok := index.(map[string]any); ok {
			withoutDefaults(inner)
		}
	}
}

// withoutName returns the fields of a composite index without the document's name that a database
// adds. That name is the last field, in the direction of the field before it.
func withoutName(fields []indexfile.Field) []indexfile.Field {
	last := len(fields) - 1
	if last < 1 || fields[last].Path != indexfile.Name {
		return fields
	}
	before := fields[last-1].Mode
	if before == indexfile.Contains {
		before = indexfile.Ascending
	}
	if fields[last].Mode != before {
		return fields
	}
	return fields[:last]
}

// hasComposite reports whether the composite indexes contain an index.
func (x *Indexes) hasComposite(index indexfile.Index) bool {
	return slices.ContainsFunc(x.File.Indexes, func(has indexfile.Index) bool {
		return has.Group == index.Group && has.Scope == index.Scope && slices.Equal(has.Fields, index.Fields)
	})
}

// of returns the override of a field; nil if there is none.
func (x *Indexes) of(group, field string) *entry {
	for i, e := range x.overrides {
		if e.group == group && e.field == field {
			return &x.overrides[i]
		}
	}
	return nil
}

// ttl returns the field with the time-to-live policy of a group; "" if the group has no policy.
func (x *Indexes) ttl(group string) string {
	for _, o := range x.File.Overrides {
		if o.Group == group && o.TTL {
			return o.Path
		}
	}
	return ""
}
