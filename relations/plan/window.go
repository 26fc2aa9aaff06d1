package plan

import (
	"cmp"
	"slices"
	"strconv"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

// Range is a fixed range of a post's relations, by the ids of their index documents: from From, up to but not including
// To. "" is no bound.
type Range struct{ From, To string }

// Ranges returns the ranges of a post with so many index documents. Each range has size index documents. The last range
// has no end: it also covers index documents that are opened later, and relations of an earlier, larger audience. There
// is at least one range.
func Ranges(documents, size int) (ranges []Range) {
	r := Range{}
	for next := size + 1; next <= documents; next += size {
		r.To = schema.IndexID(next)
		ranges = append(ranges, r)
		r = Range{From: r.To}
	}
	return append(ranges, r)
}

// RangeOf returns the range of a job.
func RangeOf(job chunker.Job) Range {
	return Range{From: job.Args[schema.ArgFrom], To: job.Args[schema.ArgTo]}
}

// Name is the end of the id of the range's job: "00001-00250", "00251-". It includes the end of the range, because a job
// continues with its original range. So a range with another end needs another job.
func (r Range) Name() string {
	last := ""
	if next, ok := schema.IndexNumber(r.To); ok {
		last = schema.IndexID(next - 1)
	}
	return cmp.Or(r.From, schema.IndexID(1)) + "-" + last
}

// Documents returns the number of a job's index documents that are in the range; nil if unknown.
func (r Range) Documents(job chunker.Job) *int64 {
	documents, err := strconv.Atoi(job.Args[schema.ArgDocuments])
	if err != nil || documents == 0 {
		return nil
	}
	from, to := 1, documents+1
	if n, ok := schema.IndexNumber(r.From); ok {
		from = n
	}
	if n, ok := schema.IndexNumber(r.To); ok {
		to = n
	}
	total := int64(to - from)
	return &total
}

// Window is a part of a range that a page covers: after the cursor, up to and including last.
type Window struct {
	Query firestore.Query // finds the relations of the window

	db    *schema.Database
	post  string
	in    Range
	after string // relation id; "": from the first of the range
	last  string // relation id; "": to the last of the range
}

// WindowOf returns the window of the relations of post p in a range, after a relation (nil: from the first).
func WindowOf(db *schema.Database, p string, in Range, after *firestore.DocumentRef) *Window {
	w := &Window{db: db, post: p, in: in, Query: Query(db, p)}
	if in.To != "" {
		w.Query = w.Query.EndBefore(db.Relation(p, in.To))
	}
	switch {
	case after != nil:
		w.after, w.Query = after.ID, w.Query.StartAfter(after)
	case in.From != "":
		w.Query = w.Query.StartAt(db.Relation(p, in.From))
	}
	return w
}

// End ends the window after the relation with that id, unless it already ends earlier.
func (w *Window) End(id string) {
	if w.last == "" || id < w.last {
		w.last = id
		w.Query = w.Query.EndAt(w.db.Relations().Doc(id))
	}
}

// Of returns the index ids whose relation lies in the window.
func (w *Window) Of(indexes []string) (in []string) {
	for _, i := range indexes {
		id := schema.RelationID(w.post, i)
		if i >= w.in.From && (w.in.To == "" || i < w.in.To) && id > w.after && (w.last == "" || id <= w.last) {
			in = append(in, i)
		}
	}
	return in
}

// Before returns those of relations that do not come after the window.
func (w *Window) Before(relations []Relation) []Relation {
	return slices.DeleteFunc(relations, func(r Relation) bool { return w.last != "" && r.Ref.ID > w.last })
}

// Page returns the window as a finished page. Done counts index documents, and relations without an index document.
func (w *Window) Page(indexes []string, relations []Relation) chunker.Page {
	page := chunker.Page{Done: len(indexes), More: w.last != ""}
	for _, r := range relations {
		if !slices.Contains(indexes, r.IndexID) && r.IndexID != schema.DirectIndex {
			page.Done++
		}
	}
	if slices.Contains(indexes, schema.DirectIndex) {
		page.Done-- // the job's total does not count it
	}
	if page.More {
		page.Last = w.db.Relations().Doc(w.last)
	}
	return page
}
