package deploy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/jsonc"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/indexfile"
)

// indexes are those of a database or a file, as firebase-tools prints and reads them.
type indexes struct {
	indexfile.File
	// others is the number of entries that this program does not understand, such as a vector index.
	others int
}

// parseIndexes parses the text of a firestore.indexes.json, with comments or without.
func parseIndexes(text []byte) (*indexes, error) {
	text = jsonc.ToJSON(text)
	if at := bytes.IndexByte(text, '{'); at > 0 { // firebase-tools may print a message first
		text = text[at:]
	}
	var top struct{ Indexes, FieldOverrides []map[string]any }
	if err := json.Unmarshal(text, &top); err != nil {
		return nil, fmt.Errorf("indexes: %w", err)
	}
	x := &indexes{}
	for list, entries := range map[string][]map[string]any{"indexes": top.Indexes, "fieldOverrides": top.FieldOverrides} {
		for _, entry := range entries {
			withoutDefaults(entry)
			text, err := json.Marshal(map[string]any{list: []any{entry}})
			if err != nil {
				return nil, err
			}
			file, err := indexfile.Parse(text)
			if err != nil {
				x.others++
				continue
			}
			for i := range file.Indexes {
				file.Indexes[i].Fields = withoutName(file.Indexes[i].Fields)
			}
			x.Indexes, x.Overrides = append(x.Indexes, file.Indexes...), append(x.Overrides, file.Overrides...)
		}
	}
	return x, nil
}

// withoutDefaults removes the values that a Standard edition database prints for every index.
func withoutDefaults(fields map[string]any) {
	for key, usual := range map[string]any{"apiScope": "ANY_API", "density": "SPARSE_ALL", "multikey": false, "unique": false} {
		if fields[key] == usual {
			delete(fields, key)
		}
	}
	inner, _ := fields["indexes"].([]any)
	for _, index := range inner {
		if index, ok := index.(map[string]any); ok {
			withoutDefaults(index)
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

// lacking returns the entries of other that x does not have, as lines of a firestore.indexes.json. A field's override is there if
// one of the same field has its indexes and its time-to-live policy.
func (x *indexes) lacking(other *indexes) (lines []string) {
	for _, o := range other.Indexes {
		if !has(x.Indexes, o) {
			lines = append(lines, o.Group+" "+o.String())
		}
	}
	for _, o := range other.Overrides {
		at := slices.IndexFunc(x.Overrides, func(e indexfile.Override) bool { return e.Group == o.Group && e.Path == o.Path })
		if at < 0 || o.TTL && !x.Overrides[at].TTL || slices.ContainsFunc(o.Indexes, func(i indexfile.Index) bool { return !has(x.Overrides[at].Indexes, i) }) {
			lines = append(lines, o.JSON())
		}
	}
	return lines
}

// withoutTTL returns x without time-to-live policies, as a restored database has ours.
func (x *indexes) withoutTTL() *indexes {
	out := indexes{File: indexfile.File{Indexes: x.Indexes, Overrides: slices.Clone(x.Overrides)}}
	for i := range out.Overrides {
		out.Overrides[i].TTL = false
	}
	return &out
}

// keeps reports whether x has an override without a policy of a field that has a policy in ours: an app may keep what ours would
// delete.
func (x *indexes) keeps(ours *indexes) bool {
	return slices.ContainsFunc(ours.Overrides, func(o indexfile.Override) bool {
		return o.TTL && slices.ContainsFunc(x.Overrides, func(e indexfile.Override) bool { return e.Group == o.Group && e.Path == o.Path && !e.TTL })
	})
}

func has(all []indexfile.Index, index indexfile.Index) bool {
	return slices.ContainsFunc(all, func(x indexfile.Index) bool {
		return x.Group == index.Group && x.Scope == index.Scope && slices.Equal(x.Fields, index.Fields)
	})
}

// indexesCheck returns the check that the database has our indexes, or that writing them takes nothing from an app: it has no
// others. firebase-tools creates missing composite indexes, and deletes none without --force, but it replaces an app's override of
// a field by ours without a question. A restored database has no time-to-live policies, and gets them again.
func (o Options) indexesCheck() Check {
	ask := []string{"firebase", "firestore:indexes", o.project(), o.database(), "--non-interactive"}
	return Check{
		Name: "indexes", Want: "the database has the indexes and overrides of " + fileIndexes + ", which are then not written; or it has no others",
		Ask: ask, Fix: "firebase login", Needs: []string{needFirebase, needAPIs, needConfig},
		holds: func(_ context.Context, m *Machine, answer string) error {
			theirs, err := parseIndexes([]byte(answer))
			if err != nil {
				return problem{err, "run this command, and check what it prints: " + shell(ask...)}
			}
			ours, err := parseIndexes(o.Indexes)
			if err != nil {
				return err
			}
			missing := theirs.lacking(ours)
			switch {
			case len(missing) == 0:
				m.Indexes = keep
				if err := config.CheckIndexFile(o.Config, &theirs.File); err != nil {
					return problem{fmt.Errorf("with the indexes of the database: %w", err), "change the app's indexes: docs/operations/existing-app.md"}
				}
				return nil
			case theirs.others == 0 && len(ours.lacking(theirs)) == 0 && (len(theirs.lacking(ours.withoutTTL())) == 0 || !theirs.keeps(ours)):
				m.Indexes = write
				return nil
			}
			return problem{errors.New("the database has indexes of an app, and lacks:\n" + joined(missing)),
				"add these to the app's " + fileIndexes + ", from ours, run firebase deploy --only firestore:indexes in the app, and wait until all are READY; then run this again. " +
					"A field has one override: give it the indexes of both. A collection id has one time-to-live policy (\"ttl\"), which deletes every document of it whose time has passed, the app's too: end another one first"}
		},
	}
}

func joined(lines []string) string { return strings.Join(lines, "\n") }
