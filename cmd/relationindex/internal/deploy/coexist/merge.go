package coexist

import (
	"encoding/json"
)

// Merge returns a firestore.indexes.json with the indexes of both. The app's entries stay in
// place, without comments, and our missing entries follow.
//
// If both override a field, the field gets an override with the indexes of both. In collections
// that only functions write, the field gets our override. In other collections, an override that
// this program does not understand stays unchanged.
func Merge(theirs, ours *Indexes) ([]byte, error) {
	c := Compare(theirs, ours)
	replaced := map[string]json.RawMessage{}
	for _, d := range c.Differ {
		switch {
		case d.OnlyOurs:
			replaced[d.Field()] = json.RawMessage(d.Ours.JSON())
		case d.Theirs != nil && len(d.Lacks) > 0:
			replaced[d.Field()] = json.RawMessage(d.Both().JSON())
		}
	}
	out := struct {
		Indexes        []json.RawMessage `json:"indexes"`
		FieldOverrides []json.RawMessage `json:"fieldOverrides"`
	}{[]json.RawMessage{}, []json.RawMessage{}}
	for _, e := range theirs.composites {
		out.Indexes = append(out.Indexes, e.raw)
	}
	for _, x := range c.Composites {
		out.Indexes = append(out.Indexes, json.RawMessage(x.JSON()))
	}
	for _, e := range theirs.overrides {
		raw := e.raw
		if r, ok := replaced[e.group+"."+e.field]; ok {
			raw = r
		}
		out.FieldOverrides = append(out.FieldOverrides, raw)
	}
	for _, o := range c.Overrides {
		out.FieldOverrides = append(out.FieldOverrides, json.RawMessage(o.JSON()))
	}
	text, err := json.MarshalIndent(out, "", "  ")
	return append(text, '\n'), err
}

// Without returns a firestore.indexes.json with our indexes and overrides. It omits our override
// of a field if the app's override serves both. The app's override stays in the database.
func Without(ours *Indexes, differ []Difference) ([]byte, error) {
	left := map[string]bool{}
	for _, d := range differ {
		left[d.Field()] = d.Serves() && !d.OnlyOurs
	}
	rest := &Indexes{composites: ours.composites}
	for _, e := range ours.overrides {
		if !left[e.group+"."+e.field] {
			rest.overrides = append(rest.overrides, e)
		}
	}
	return Merge(rest, &Indexes{})
}
