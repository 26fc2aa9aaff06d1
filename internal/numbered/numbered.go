// Package numbered decides which document of a sequence gets a new item. The documents are numbered from 1,
// and each holds a limited number of items and bytes. An example is the index documents of an author.
//
// The package is pure: it is independent of the items, and reads and writes nothing.
package numbered

// Capacity is the maximum that one document may hold.
type Capacity struct{ Items, Bytes int }

// Fill is the content of one document.
type Fill struct {
	// Items and Bytes are counts. A document with a negative count gets no items, because its fill is unknown.
	Items, Bytes int
	Closed       bool // the document gets no items
}

// HasRoom reports whether a document has room for another item of bytes.
func (c Capacity) HasRoom(f Fill, bytes int) bool {
	return !f.Closed && f.Items >= 0 && f.Bytes >= 0 && f.Items < c.Items && f.Bytes+bytes <= c.Bytes
}

// HalfEmpty reports whether a document is open for items and at most half full, by items and by bytes.
func (c Capacity) HalfEmpty(f Fill) bool {
	return c.HasRoom(f, 0) && 2*f.Items <= c.Items && 2*f.Bytes <= c.Bytes
}

// Sequence is the plan for the documents of a sequence.
type Sequence struct {
	Capacity Capacity
	ID       func(number int) string // returns a document's id
	IDs      []string                // of the documents, in order; Add appends new documents
	Current  string                  // the document that new items join; "": none
	// Fills holds the fill of documents. A document that is not in Fills gets no items, and does not count as
	// full either: it may be damaged, or not read. Add and Remove keep Fills up to date. Fills must not be
	// nil.
	Fills map[string]Fill
}

// Add chooses a document for an item of bytes, and returns its id. opened reports that the
// document is new.
//
// The item joins the current document. If that document has no room, the first half empty document with room
// becomes current. If there is none, Add opens the next document.
func (s *Sequence) Add(bytes int) (id string, opened bool) {
	if !s.takes(s.Current, bytes) {
		s.Current, opened = s.next(bytes)
	}
	if opened {
		s.IDs = append(s.IDs, s.Current)
	}
	s.change(s.Current, 1, bytes)
	return s.Current, opened
}

// Remove removes an item of bytes from a document.
func (s *Sequence) Remove(id string, bytes int) { s.change(id, -1, -bytes) }

// next returns the document that becomes current for an item of bytes.
func (s *Sequence) next(bytes int) (id string, opened bool) {
	for _, id := range s.IDs {
		if s.takes(id, bytes) && s.Capacity.HalfEmpty(s.Fills[id]) {
			return id, false
		}
	}
	return s.ID(len(s.IDs) + 1), true
}

func (s *Sequence) takes(id string, bytes int) bool {
	fill, known := s.Fills[id]
	return known && s.Capacity.HasRoom(fill, bytes)
}

func (s *Sequence) change(id string, items, bytes int) {
	fill := s.Fills[id]
	fill.Items += items
	fill.Bytes += bytes
	s.Fills[id] = fill
}
