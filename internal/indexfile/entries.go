package indexfile

import (
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/protobuf/proto"
)

// The number and size of index entries. "Storage size calculations" and "Quotas and limits" document the
// truncation and the sizes (read November 2026).
//
// An array counts at the worst case. Google's example has one entry for each element. But
// production has counted two in an automatic index: it accepts 19,999 elements and
// rejects 20,000. Whether composites do the same is unknown, so all elements count twice.
const (
	entriesPerElement  = 2
	indexedBytes       = 1500 // of a value; longer values are cut
	entryBytes         = 32
	groupOfFieldsBytes = 48 // an entry of a single-field index of a collection group
)

// Document is a document as indexes represent it. The zero value stands for no document, and has no entries.
type Document struct {
	group  string
	name   int // bytes
	parent int // bytes of the name of the document above it; 0 if there is none
	values map[string]*value
	paths  []string // of automatically indexed values: all but maps
}

// value is one value of a document.
type value struct {
	pb       *pb.Value
	id       string         // the same for equal values; set at the first use
	elements map[string]int // bytes by identity; set at the first use
}

// NewDocument returns the document at path ("users/u" or longer) with fields. It keeps
// fields, so do not change them.
func NewDocument(path string, fields map[string]*pb.Value) Document {
	segments := strings.Split(path, "/")
	d := Document{name: NameBytes(path), values: map[string]*value{}}
	if n := len(segments); n >= 2 {
		d.group = segments[n-2]
		d.parent = NameBytes(strings.Join(segments[:n-2], "/"))
	}
	d.add("", fields)
	slices.Sort(d.paths)
	return d
}

// Group returns the id of the document's collection; "" for no document.
func (d Document) Group() string { return d.group }

func (d *Document) add(prefix string, fields map[string]*pb.Value) {
	for name, v := range fields {
		path := prefix + quote(name)
		d.values[path] = &value{pb: v}
		if m, ok := v.GetValueType().(*pb.Value_MapValue); ok {
			d.add(path+".", m.MapValue.GetFields())
		} else {
			d.paths = append(d.paths, path)
		}
	}
}

// quote returns a field's name as a part of a path.
func quote(name string) string {
	for i, c := range name {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return "`" + strings.NewReplacer("\\", "\\\\", "`", "\\`").Replace(name) + "`"
		}
	}
	return name
}

// Entries are the entries of a document in one index.
type Entries struct {
	Index   Index
	Count   int
	Bytes   int
	Largest int // bytes of one
}

// Sum returns the totals and the largest entry. The Index of the result means nothing.
func Sum(all []Entries) Entries {
	var sum Entries
	for _, e := range all {
		sum.Count += e.Count
		sum.Bytes += e.Bytes
		sum.Largest = max(sum.Largest, e.Largest)
	}
	return sum
}

// Entries returns the entries of a document in each index that holds it,
// at the worst case.
func (f *File) Entries(d Document) []Entries {
	var all []Entries
	for _, x := range f.of(d) {
		if r, ok := d.row(x); ok {
			all = append(all, r.all())
		}
	}
	return all
}

// Changed returns the entries that a write from before to after removes and adds. It
// leaves out entries that stay. Either may be no document.
func (f *File) Changed(before, after Document) []Entries {
	var all []Entries
	for _, x := range f.of(before, after) {
		a, hadIt := before.row(x)
		b, hasIt := after.row(x)
		switch {
		case hadIt && hasIt && a.fixed == b.fixed && a.bytes == b.bytes:
			all = append(all, a.without(b), b.without(a))
		case hadIt && hasIt:
			all = append(all, a.all(), b.all())
		case hadIt:
			all = append(all, a.all())
		case hasIt:
			all = append(all, b.all())
		}
	}
	return all
}

// of returns the indexes that may hold one of the documents.
func (f *File) of(docs ...Document) []Index {
	var all []Index
	seen := map[string]bool{}
	for _, d := range docs {
		for _, path := range d.paths {
			if !seen[path] {
				seen[path] = true
				all = append(all, f.Automatic(d.group, path)...)
			}
		}
	}
	for _, d := range docs {
		if d.group != "" {
			return append(all, f.Composites(d.group)...)
		}
	}
	return all
}

// row is a document in an index: one entry, or several for each element of an array. Rows
// with equal fixed parts share the entries of equal elements.
type row struct {
	index    Index
	fixed    string // identity of the values other than the elements
	bytes    int    // of an entry, without the element
	elements map[string]int
	array    bool
}

// row returns the document's row, and whether the document is in the index.
func (d Document) row(x Index) (row, bool) {
	if d.group == "" {
		return row{}, false
	}
	r := row{index: x, bytes: d.name + entryBytes}
	single := len(x.Fields) == 1 && x.Fields[0].Path != Name
	switch {
	case single && x.Scope == CollectionGroup:
		r.bytes = d.name + groupOfFieldsBytes + len(x.Fields[0].Path) + 1
	case single:
		r.bytes += d.parent + len(x.Fields[0].Path) + 1
	case x.Scope == Collection:
		r.bytes += d.parent
	}
	for _, f := range x.Fields {
		if f.Path == Name {
			continue // in every entry
		}
		v, ok := d.values[f.Path]
		if !ok {
			return row{}, false
		}
		if f.Mode == Contains {
			if v.pb.GetArrayValue() == nil {
				return row{}, false
			}
			r.array, r.elements = true, v.distinct()
			continue
		}
		r.fixed += v.identity() + "\x00"
		r.bytes += min(ValueBytes(v.pb), indexedBytes)
	}
	return r, true
}

func (r row) all() Entries { return r.without(row{}) }

// without returns the entries of r that other does not have.
func (r row) without(other row) Entries {
	e := Entries{Index: r.index}
	if !r.array {
		if other.index.Fields == nil {
			e.Count, e.Bytes, e.Largest = 1, r.bytes, r.bytes
		}
		return e
	}
	for element, size := range r.elements {
		if _, ok := other.elements[element]; ok {
			continue
		}
		size += r.bytes
		e.Count += entriesPerElement
		e.Bytes += entriesPerElement * size
		e.Largest = max(e.Largest, size)
	}
	return e
}

// distinct returns the bytes of the elements of an array, by identity.
func (v *value) distinct() map[string]int {
	if v.elements == nil {
		elements := v.pb.GetArrayValue().GetValues()
		v.elements = make(map[string]int, len(elements))
		for _, e := range elements {
			v.elements[identity(e)] = min(ValueBytes(e), indexedBytes)
		}
	}
	return v.elements
}

func (v *value) identity() string {
	if v.id == "" {
		v.id = identity(v.pb)
	}
	return v.id
}

var seed = maphash.MakeSeed()

// identity returns the same text for equal values within one process.
func identity(v *pb.Value) string {
	if s, ok := v.GetValueType().(*pb.Value_StringValue); ok && len(s.StringValue) <= indexedBytes {
		return s.StringValue
	}
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(v)
	if err != nil { // not UTF-8, which no client sends
		encoded = []byte(v.String())
	}
	return "\x00" + strconv.FormatUint(maphash.Bytes(seed, encoded), 36)
}
