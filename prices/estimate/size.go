package estimate

import "slices"

// Sizes as Firestore charges them: "Storage size calculations" and the entry
// sizes of "Index overview" (Firestore documentation, read November 2026).

// stored is a kind of document: what one takes, and its index entries.
type stored struct {
	name   float64 // of the document
	parent float64 // of the document above it; 0 for a root collection
	fields []field
	arrays []array
	// composites are the values of the entries that composite indexes have of it.
	composites []composite
}

// field is a field that every document of the kind has.
type field struct {
	name    string
	bytes   float64 // of its value
	indexed bool    // by the two automatic indexes; no array is
}

// array is a field whose ids are indexed, in the collection and in its group.
type array struct {
	name    string
	ids     float64
	idBytes int
}

// composite is one composite index: so many entries a document, each of values of so many bytes.
type composite struct{ entries, bytes float64 }

const (
	perName     = 16
	perDocument = 32
	perEntry    = 32
	number      = 8 // also a timestamp
	maxIndexed  = 1500
)

// text is the size of a string of n bytes.
func text(n int) float64 { return float64(n + 1) }

// nameOf is the size of the name of a document whose path has segments of these sizes.
func nameOf(segments ...int) float64 {
	size := float64(perName)
	for _, s := range segments {
		size += text(s)
	}
	return size
}

// inCollection is a document in a root collection, or below the documents of one.
func inCollection(segments ...int) stored {
	d := stored{name: nameOf(segments...)}
	if above := slices.Clip(segments[:len(segments)-2]); len(above) > 0 {
		d.parent = nameOf(above...)
	}
	return d
}

// document is the size of one document without its index entries.
func (d stored) document() float64 {
	size := d.name + perDocument
	for _, f := range d.fields {
		size += text(len(f.name)) + f.bytes
	}
	for _, a := range d.arrays {
		size += text(len(a.name)) + a.ids*text(a.idBytes)
	}
	return size
}

// entries is the size of one document's index entries.
func (d stored) entries() float64 {
	size := 0.0
	for _, f := range d.fields {
		if f.indexed { // ascending and descending
			size += 2 * (d.name + d.parent + text(len(f.name)) + min(f.bytes, maxIndexed) + perEntry)
		}
	}
	for _, a := range d.arrays {
		size += 2 * a.ids * (d.name + d.parent + text(len(a.name)) + text(a.idBytes) + perEntry)
	}
	for _, c := range d.composites {
		size += c.entries * (d.name + d.parent + c.bytes + perEntry)
	}
	return size
}

// Storage is documents that are there, and what they take.
type Storage struct {
	Documents  float64 `json:"documents"`
	Bytes      float64 `json:"bytes"`      // without indexes
	IndexBytes float64 `json:"indexBytes"` // of automatic and composite indexes
}

// Total is what Firestore charges storage for.
func (s Storage) Total() float64 { return s.Bytes + s.IndexBytes }

func (s Storage) with(n float64, d stored) Storage {
	return Storage{s.Documents + n, s.Bytes + n*d.document(), s.IndexBytes + n*d.entries()}
}
