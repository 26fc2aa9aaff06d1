package plan

import (
	"slices"
	"strconv"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

// Splits returns the index ids that begin the second and later lanes. It plans as many
// lanes as documents need with at most lane each, but at most chunker.MaxLanes. It
// returns none if one lane is enough.
func Splits(documents, lane int) (ids []string) {
	lanes := min(chunker.MaxLanes, (documents+lane-1)/lane)
	for n := 1; n < lanes; n++ {
		ids = append(ids, schema.IndexID(1+n*documents/lanes))
	}
	return ids
}

// Window is the range of a post's relations, by name, that a page covers: in the lane,
// after the cursor, up to and including last.
type Window struct {
	Query firestore.Query // finds the relations of the window

	db    *schema.Database
	post  string
	lane  chunker.Lane
	after string // relation id; "": from the first of the lane
	last  string // relation id; "": to the last of the lane
}

// WindowOf returns the window of the relations of post p that come in a lane (nil: all)
// after a relation (nil: from the first).
func WindowOf(db *schema.Database, p string, lane *chunker.Lane, after *firestore.DocumentRef) *Window {
	w := &Window{db: db, post: p, Query: Query(db, p)}
	if lane != nil {
		w.lane = *lane
	}
	if w.lane.To != "" {
		w.Query = w.Query.EndBefore(db.Relation(p, w.lane.To))
	}
	switch {
	case after != nil:
		w.after, w.Query = after.ID, w.Query.StartAfter(after)
	case w.lane.From != "":
		w.Query = w.Query.StartAt(db.Relation(p, w.lane.From))
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
		if i >= w.lane.From && (w.lane.To == "" || i < w.lane.To) && id > w.after && (w.last == "" || id <= w.last) {
			in = append(in, i)
		}
	}
	return in
}

// Before returns those of relations that were read which do not come after the window.
func (w *Window) Before(relations []Relation) []Relation {
	return slices.DeleteFunc(relations, func(r Relation) bool { return w.last != "" && r.Ref.ID > w.last })
}

// Page returns the window as a finished page. Done counts index documents, and relations
// that belong to none of them.
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

// DocumentsOf returns how many index documents a job, or its lane, covers; nil if
// unknown.
func DocumentsOf(job chunker.Job) *int64 {
	documents, err := strconv.Atoi(job.Args[schema.ArgDocuments])
	if err != nil || documents == 0 {
		return nil
	}
	from, to := 1, documents+1
	if l := job.Lane; l != nil {
		if n, ok := schema.IndexNumber(l.From); ok {
			from = n
		}
		if n, ok := schema.IndexNumber(l.To); ok {
			to = n
		}
	}
	total := int64(to - from)
	return &total
}
