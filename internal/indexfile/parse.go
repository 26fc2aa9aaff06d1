package indexfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Parse parses the text of a firestore.indexes.json. It accepts the files that the Firebase command
// line deploys for databases of the Standard edition, except vector indexes. Its error
// joins all mistakes, each with its place:
//
//	indexes[1].fields[0].order="UP": must be ASCENDING or DESCENDING
func Parse(data []byte) (*File, error) {
	p := parser{}
	decoder := json.NewDecoder(bytes.NewReader(data))
	var top any // decoded once: every instance of a function reads the file at its start
	if err := decoder.Decode(&top); err != nil {
		return nil, fmt.Errorf("index file: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("index file: more than one JSON value")
	}
	object := p.object("", top, "indexes", "fieldOverrides")
	file := &File{}
	for i, value := range p.list("indexes", object["indexes"]) {
		file.Indexes = append(file.Indexes, p.index(fmt.Sprintf("indexes[%d]", i), value))
	}
	for i, value := range p.list("fieldOverrides", object["fieldOverrides"]) {
		file.Overrides = append(file.Overrides, p.override(fmt.Sprintf("fieldOverrides[%d]", i), value))
	}
	p.doubles(file)
	if err := errors.Join(p.errs...); err != nil {
		return nil, fmt.Errorf("index file: %w", err)
	}
	return file, nil
}

// parser collects the mistakes.
type parser struct{ errs []error }

func (p *parser) wrong(place, format string, args ...any) {
	p.errs = append(p.errs, errors.New(strings.TrimLeft(place+fmt.Sprintf(format, args...), ".: ")))
}

// object returns the values of an object by key. Only keys are allowed. A null becomes
// null{}, because nil stands for a missing key.
func (p *parser) object(place string, value any, keys ...string) map[string]any {
	values, ok := value.(map[string]any)
	if !ok {
		p.wrong(place, ": must be an object")
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(keys, key) {
			p.wrong(place, ".%s: unknown key: must be one of %s", key, strings.Join(keys, ", "))
		}
		if values[key] == nil {
			values[key] = null{}
		}
	}
	return values
}

// null is a JSON null.
type null struct{}

func (p *parser) list(place string, value any) []any {
	values, ok := value.([]any)
	if !ok && value != nil {
		p.wrong(place, ": must be a list")
	}
	return values
}

// text returns a string of an object. The string must not be empty. It may be missing unless it is required.
func (p *parser) text(place, key string, value any, required bool) string {
	s, _ := value.(string)
	if s == "" && (required || value != nil) {
		p.wrong(place, ".%s: must be a string that is not empty", key)
	}
	return s
}

// oneOf returns a string that may be missing, and must be one of rest.
func (p *parser) oneOf(place, key string, value any, rest ...string) string {
	s := p.text(place, key, value, false)
	if s != "" && !slices.Contains(rest, s) {
		p.wrong(place, ".%s=%q: must be %s", key, s, strings.Join(rest, " or "))
	}
	return s
}

func (p *parser) scope(place string, value any) Scope {
	s := p.oneOf(place, "queryScope", value, string(Collection), string(CollectionGroup))
	if s == "" {
		return Collection // the command line's default
	}
	return Scope(s)
}

// mode returns the order or the arrayConfig of an object.
func (p *parser) mode(place string, object map[string]any) Mode {
	order := p.oneOf(place, "order", object["order"], string(Ascending), string(Descending))
	array := p.oneOf(place, "arrayConfig", object["arrayConfig"], string(Contains))
	if (order == "") == (array == "") {
		p.wrong(place, ": must have either an order or an arrayConfig")
	}
	return Mode(order + array)
}

func (p *parser) index(place string, value any) Index {
	object := p.object(place, value, "collectionGroup", "queryScope", "fields", "density")
	p.oneOf(place, "density", object["density"], "SPARSE_ALL") // the only density of the Standard edition
	x := Index{Group: p.text(place, "collectionGroup", object["collectionGroup"], true), Scope: p.scope(place, object["queryScope"])}
	arrays := 0
	for i, value := range p.list(place+".fields", object["fields"]) {
		at := fmt.Sprintf("%s.fields[%d]", place, i)
		field := p.object(at, value, "fieldPath", "order", "arrayConfig")
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

func (p *parser) override(place string, value any) Override {
	object := p.object(place, value, "collectionGroup", "fieldPath", "ttl", "indexes")
	o := Override{
		Group: p.text(place, "collectionGroup", object["collectionGroup"], true),
		Path:  p.text(place, "fieldPath", object["fieldPath"], true),
	}
	if ttl := object["ttl"]; ttl != nil {
		var ok bool
		if o.TTL, ok = ttl.(bool); !ok {
			p.wrong(place, ".ttl: must be true or false")
		}
	}
	if object["indexes"] == nil {
		if !o.TTL {
			p.wrong(place, ": must have indexes (an empty list is an exemption) or a ttl")
		}
		return o
	}
	o.Indexes = []Index{}
	for i, value := range p.list(place+".indexes", object["indexes"]) {
		at := fmt.Sprintf("%s.indexes[%d]", place, i)
		single := p.object(at, value, "order", "arrayConfig", "queryScope")
		o.Indexes = append(o.Indexes, Index{o.Group, p.scope(at, single["queryScope"]), []Field{{o.Path, p.mode(at, single)}}})
	}
	return o
}

// doubles reports entries that repeat an earlier one.
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
