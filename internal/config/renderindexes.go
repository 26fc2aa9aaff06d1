package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"

	"example.com/relationindex/internal/indexfile"
)

// groupKey is the name of a collection in firestore.indexes.json.
var groupKey = regexp.MustCompile(`("collectionGroup"\s*:\s*)"((?:[^"\\]|\\.)*)"`)

// Indexes is file, a firestore.indexes.json, with the configured names of the
// collections in place of the default ones. All else stays as it is, to the
// byte. A collection that the file knows by its configured name is left alone:
// what is rendered can be rendered again.
func (f Functions) Indexes(file []byte) ([]byte, error) {
	if _, err := indexfile.Parse(file); err != nil {
		return nil, fmt.Errorf("firestore.indexes.json: %w", err)
	}
	known := map[string]bool{}
	for _, m := range groupKey.FindAllSubmatch(file, -1) {
		known[string(m[2])] = true
	}
	names := map[string]string{}
	for _, c := range f.collections() {
		if !known[c.name] {
			names[c.standard] = c.name
		}
	}
	return groupKey.ReplaceAllFunc(file, func(match []byte) []byte {
		m := groupKey.FindSubmatch(match)
		name, ok := names[string(m[2])]
		if !ok {
			return match
		}
		return fmt.Appendf(nil, "%s%q", m[1], name)
	}), nil
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
