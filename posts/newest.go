package posts

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Window says which posts of an audience count: those made after a time, and a number of the newest
// before. The zero value is no post.
type Window struct {
	// After is the time after which every post counts, by createdAt; zero: none counts for that.
	After time.Time
	// More is how many of the others count, the newest.
	More int
	// Most is how many count at most, the newest; 0: all.
	Most int
	// From is a time before which none counts; zero: no such time.
	From time.Time
}

// newer reports whether a post counts for its time.
func (w Window) newer(p Post) bool { return !w.After.IsZero() && p.CreatedAt().After(w.After) }

// Newest returns the posts to an audience in a window, newest first, with author, audience,
// kind and createdAt alone. Posts whose createdAt is no timestamp are left out. It costs a read for
// each post, and for each of the author's in between that is hidden or for others; at least one. After
// ten queries that find none, it makes another one, for posts with the fields audience and hidden, and
// returns what it has.
func Newest(ctx context.Context, db *schema.Database, audience string, w Window) ([]Post, error) {
	if w.Most == 0 {
		w.Most = math.MaxInt
	}
	posts := collection(db)
	filled := posts.Where(schema.FieldAudience, "==", audience).Where(schema.FieldHidden, "==", false)
	var from []firestore.Query
	switch {
	case db.Config.PostsFilled:
		from = append(from, filled)
	case schema.IsGroup(audience):
		from = append(from, posts.Where(schema.FieldAudience, "==", audience), posts.Where(schema.FieldUserID, "==", audience))
	default: // a person's audience is for that person's posts
		from = append(from, posts.Where(schema.FieldUserID, "==", audience))
	}
	var found []Post
	all := true
	for _, q := range from {
		some, ended, err := newestOf(ctx, db.Config, q, audience, w, maxEmpty)
		if err != nil {
			return nil, err
		}
		found, all = append(found, some...), all && ended
	}
	if !all { // many are hidden, or for others
		some, _, err := newestOf(ctx, db.Config, filled, audience, w, 1)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	slices.SortStableFunc(found, func(a, b Post) int {
		return cmp.Or(b.CreatedAt().Compare(a.CreatedAt()), cmp.Compare(b.ID, a.ID))
	})
	found = slices.CompactFunc(found, func(a, b Post) bool { return a.ID == b.ID })
	older := 0
	for n, post := range found {
		if !w.newer(post) {
			older++
		}
		if older > w.More || n == w.Most {
			return found[:n], nil
		}
	}
	return found, nil
}

// pageOfNewest is how many posts a query reads that looks for all after a time.
const pageOfNewest = 100

const (
	// maxPage is how many posts a query reads at most.
	maxPage = 1000
	// maxEmpty is how many queries may find none before another one is made.
	maxEmpty = 10
)

// newestOf returns the posts to an audience that q finds in a window. It has not ended if so many
// queries found none.
func newestOf(ctx context.Context, o schema.Config, q firestore.Query, audience string, w Window, queries int) (found []Post, ended bool, err error) {
	q = q.Where(schema.FieldCreatedAt, "<=", schema.LatestTime).
		OrderBy(schema.FieldCreatedAt, firestore.Desc).
		Select(schema.FieldUserID, schema.FieldAudience, schema.FieldHidden, schema.FieldCreatedAt, names.FieldKind)
	if w.More == 0 && w.After.After(w.From) {
		q = q.Where(schema.FieldCreatedAt, ">", w.After)
	} else if !w.From.IsZero() {
		q = q.Where(schema.FieldCreatedAt, ">=", w.From)
	}
	for older := 0; queries > 0; {
		limit := w.More - older
		if older == 0 { // as many as were newer: more each time
			limit = max(limit, len(found))
		}
		if w.More == 0 {
			limit = pageOfNewest
		}
		limit = min(limit, w.Most-len(found), maxPage)
		docs, err := q.Limit(limit).Documents(ctx).GetAll()
		if err != nil {
			return nil, false, err
		}
		some := DecodeFor(o, audience, docs)
		found = append(found, some...)
		for _, post := range some {
			if !w.newer(post) {
				older++
			}
		}
		if len(docs) < limit || older >= w.More && w.More > 0 || len(found) >= w.Most {
			return found, true, nil
		}
		if len(some) == 0 {
			queries--
		}
		q = q.StartAfter(docs[len(docs)-1])
	}
	return found, false, nil
}
