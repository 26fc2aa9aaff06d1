package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"

	"example.com/relationindex/internal/indexfile"
)

// groupKey is the name of a collection in firestore.indexes.json.
const groupKey = `("collectionGroup"\s*:\s*)"((?:[^"\\]|\\.)*)"`

// Indexes is file, a firestore.indexes.json, with the configured names of the
// collections in place of the default ones. All else stays as it is, to the
// byte. A collection that the file knows by its configured name is left alone:
// what is rendered can be rendered again.
func (f Functions) Indexes(file []byte) ([]byte, error) {
	parsed, err := indexfile.Parse(file)
	if err != nil {
		return nil, fmt.Errorf("firestore.indexes.json: %w", err)
	}
	names := f.namesIn(parsed)
	groupKey := regexp.MustCompile(groupKey)
	return groupKey.ReplaceAllFunc(file, func(match []byte) []byte {
		m := groupKey.FindSubmatch(match)
		name, ok := names[string(m[2])]
		if !ok {
			return match
		}
		return fmt.Appendf(nil, "%s%q", m[1], name)
	}), nil
}

// renderedIndexes is what [Functions.Indexes] makes of file, parsed.
func (f Functions) renderedIndexes(file []byte) (*indexfile.File, error) {
	parsed, err := indexfile.Parse(file)
	if err != nil {
		return nil, fmt.Errorf("firestore.indexes.json: %w", err)
	}
	names := f.namesIn(parsed)
	for i, x := range parsed.Indexes {
		parsed.Indexes[i].Group = cmp.Or(names[x.Group], x.Group)
	}
	for i, o := range parsed.Overrides {
		parsed.Overrides[i].Group = cmp.Or(names[o.Group], o.Group)
	}
	return parsed, nil
}

// namesIn are the configured names by the default ones, of collections that
// the file does not know by their configured names.
func (f Functions) namesIn(file *indexfile.File) map[string]string {
	known := map[string]bool{}
	for _, x := range file.Indexes {
		known[x.Group] = true
	}
	for _, o := range file.Overrides {
		known[o.Group] = true
	}
	names := map[string]string{}
	for _, c := range f.collections() {
		if !known[c.name] {
			names[c.standard] = c.name
		}
	}
	return names
}

// MergeIndexes is one firestore.indexes.json with all that is in files, once:
// that of a database which several copies of the system share.
func MergeIndexes(files ...[]byte) ([]byte, error) {
	type entries struct {
		Indexes        []json.RawMessage `json:"indexes"`
		FieldOverrides []json.RawMessage `json:"fieldOverrides"`
	}
	merged, seen := entries{[]json.RawMessage{}, []json.RawMessage{}}, map[string]bool{}
	once := func(all, more []json.RawMessage) ([]json.RawMessage, error) {
		for _, entry := range more {
			var text bytes.Buffer
			if err := json.Compact(&text, entry); err != nil {
				return nil, err
			}
			if !seen[text.String()] {
				seen[text.String()] = true
				all = append(all, entry)
			}
		}
		return all, nil
	}
	for _, file := range files {
		var e entries
		err := json.Unmarshal(file, &e)
		if err == nil {
			merged.Indexes, err = once(merged.Indexes, e.Indexes)
		}
		if err == nil {
			merged.FieldOverrides, err = once(merged.FieldOverrides, e.FieldOverrides)
		}
		if err != nil {
			return nil, fmt.Errorf("firestore.indexes.json: %w", err)
		}
	}
	text, err := json.MarshalIndent(merged, "", "  ")
	if err != nil {
		return nil, err
	}
	text = append(text, '\n')
	if _, err := indexfile.Parse(text); err != nil { // two files want something else of one field
		return nil, fmt.Errorf("firestore.indexes.json of several copies: %w", err)
	}
	return text, nil
}
