package indexfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Parse reads the text of a firestore.indexes.json. It takes what the Firebase
// command line deploys for databases of the Standard edition, but vector
// indexes. Its error joins everything that is wrong, each with its place:
//
//	indexes[1].fields[0].order="UP": must be ASCENDING or DESCENDING
func Parse(data []byte) (*File, error) {
	p := parser{}
	decoder := json.NewDecoder(bytes.NewReader(data))
	var top json.RawMessage
	if err := decoder.Decode(&top); err != nil {
		return nil, fmt.Errorf("index file: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("index file: more than one JSON value")
	}
	object := p.object("", top, "indexes", "fieldOverrides")
	file := &File{}
	for i, raw := range p.list("indexes", object["indexes"]) {
		file.Indexes = append(file.Indexes, p.index(fmt.Sprintf("indexes[%d]", i), raw))
	}
	for i, raw := range p.list("fieldOverrides", object["fieldOverrides"]) {
		file.Overrides = append(file.Overrides, p.override(fmt.Sprintf("fieldOverrides[%d]", i), raw))
	}
	p.doubles(file)
	if err := errors.Join(p.errs...); err != nil {
		return nil, fmt.Errorf("index file: %w", err)
	}
	return file, nil
}

// parser collects what is wrong.
type parser struct{ errs []error }

func (p *parser) wrong(place, format string, args ...any) {
	p.errs = append(p.errs, errors.New(strings.TrimLeft(place+fmt.Sprintf(format, args...), ".: ")))
}

// object are the values of an object by key, of which it may have those of keys.
func (p *parser) object(place string, raw json.RawMessage, keys ...string) map[string]json.RawMessage {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil || values == nil {
		p.wrong(place, ": must be an object")
		return nil
	}
	for _, key := range sorted(values) {
		if !slices.Contains(keys, key) {
			p.wrong(place, ".%s: not a key that is known here: want one of %s", key, strings.Join(keys, ", "))
		}
	}
	return values
}

func (p *parser) list(place string, raw json.RawMessage) []json.RawMessage {
	if raw == nil {
		return nil
	}
	var values []json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil || values == nil {
		p.wrong(place, ": must be a list")
	}
	return values
}

// text is a string of an object; required if it must not be missing.
func (p *parser) text(place, key string, raw json.RawMessage, required bool) string {
	var s string
	if raw == nil && !required {
		return ""
	}
	if err := json.Unmarshal(raw, &s); err != nil || s == "" {
		p.wrong(place, ".%s: must be a string that is not empty", key)
	}
	return s
}

// oneOf is a text of a few.
func (p *parser) oneOf(place, key string, raw json.RawMessage, rest ...string) string {
	s := p.text(place, key, raw, false)
	if s != "" && !slices.Contains(rest, s) {
		p.wrong(place, ".%s=%q: must be %s", key, s, strings.Join(rest, " or "))
	}
	return s
}

func (p *parser) scope(place string, raw json.RawMessage) Scope {
	s := p.oneOf(place, "queryScope", raw, string(Collection), string(CollectionGroup))
	if s == "" {
		return Collection // what the command line takes it for
	}
	return Scope(s)
}

// mode is an order or an arrayConfig.
func (p *parser) mode(place string, object map[string]json.RawMessage) Mode {
	order := p.oneOf(place, "order", object["order"], string(Ascending), string(Descending))
	array := p.oneOf(place, "arrayConfig", object["arrayConfig"], string(Contains))
	if (order == "") == (array == "") {
		p.wrong(place, ": must have either an order or an arrayConfig")
	}
	return Mode(order + array)
}

func (p *parser) index(place string, raw json.RawMessage) Index {
	object := p.object(place, raw, "collectionGroup", "queryScope", "fields", "density")
	p.oneOf(place, "density", object["density"], "SPARSE_ALL") // the only one of the Standard edition
	x := Index{Group: p.text(place, "collectionGroup", object["collectionGroup"], true), Scope: p.scope(place, object["queryScope"])}
	arrays := 0
	for i, raw := range p.list(place+".fields", object["fields"]) {
		at := fmt.Sprintf("%s.fields[%d]", place, i)
		field := p.object(at, raw, "fieldPath", "order", "arrayConfig")
		f := Field{p.text(at, "fieldPath", field["fieldPath"], true), p.mode(at, field)}
		if f.Mode == Contains {
			arrays++
		}
		if slices.ContainsFunc(x.Fields, func(other Field) bool { return other.Path == f.Path }) {
			p.wrong(at, ".fieldPath=%q: is in the index already", f.Path)
		}
		x.Fields = append(x.Fields, f)
	}
	if len(x.Fields) < 2 && (len(x.Fields) == 0 || x.Fields[0].Path != Name) {
		p.wrong(place, ".fields: must be two or more; an index of one field is a field override")
	}
	if len(x.Fields) > 100 {
		p.wrong(place, ".fields: are %d, must be at most 100", len(x.Fields))
	}
	if arrays > 1 {
		p.wrong(place, ".fields: may hold one array, not %d", arrays)
	}
	return x
}

func (p *parser) override(place string, raw json.RawMessage) Override {
	object := p.object(place, raw, "collectionGroup", "fieldPath", "ttl", "indexes")
	o := Override{
		Group: p.text(place, "collectionGroup", object["collectionGroup"], true),
		Path:  p.text(place, "fieldPath", object["fieldPath"], true),
	}
	if raw := object["ttl"]; raw != nil && json.Unmarshal(raw, &o.TTL) != nil {
		p.wrong(place, ".ttl: must be true or false")
	}
	if object["indexes"] == nil {
		if !o.TTL {
			p.wrong(place, ": must have indexes (an empty list is an exemption) or a ttl")
		}
		return o
	}
	o.Indexes = []Index{}
	for i, raw := range p.list(place+".indexes", object["indexes"]) {
		at := fmt.Sprintf("%s.indexes[%d]", place, i)
		single := p.object(at, raw, "order", "arrayConfig", "queryScope")
		o.Indexes = append(o.Indexes, Index{o.Group, p.scope(at, single["queryScope"]), []Field{{o.Path, p.mode(at, single)}}})
	}
	return o
}

// doubles reports what is there twice.
func (p *parser) doubles(file *File) {
	seen := map[string]string{}
	once := func(place, key string) {
		if first, ok := seen[key]; ok {
			p.wrong(place, ": the same as %s", first)
			return
		}
		seen[key] = place
	}
	for i, x := range file.Indexes {
		once(fmt.Sprintf("indexes[%d]", i), x.JSON())
	}
	for i, o := range file.Overrides {
		once(fmt.Sprintf("fieldOverrides[%d]", i), fmt.Sprintf("%q %q", o.Group, o.Path))
		if o.TTL {
			once(fmt.Sprintf("fieldOverrides[%d].ttl", i), fmt.Sprintf("ttl of %q", o.Group))
		}
	}
}

func sorted(values map[string]json.RawMessage) []string {
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
