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

// Window selects posts of an audience: all posts after a time, and a number of the newest posts before it. The zero
// value selects none.
type Window struct {
	// After is the createdAt after which every post counts; zero: no post counts for its time.
	After time.Time
	// More is the number of other posts that count, the newest.
	More int
	// Most is the largest number of posts that count, the newest; 0: all.
	Most int
	// From is the time before which no post counts; zero: no such time.
	From time.Time
}

// newer reports whether a post counts because it was created after After.
func (w Window) newer(p Post) bool { return !w.After.IsZero() && p.CreatedAt().After(w.After) }

// Newest returns the posts to an audience in a window, newest first, with only author, audience, kind and createdAt.
// Posts whose createdAt is no timestamp are left out.
//
// Newest costs a read for each post, at least one. Posts of the author in between that are hidden or for others cost a
// read each too. After ten queries that find no post to the audience, Newest makes one more, for posts with the fields
// audience and hidden, and returns the posts found so far.
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
	default: // a person's audience is only for that person's posts
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

// pageOfNewest is the size of a query that reads all posts after a time.
const pageOfNewest = 100

const (
	// maxPage is the most posts that one query reads.
	maxPage = 1000
	// maxEmpty is the number of queries without a result before Newest makes another kind of query.
	maxEmpty = 10
)

// newestOf returns the posts to an audience that q finds in a window. It gives up after as many empty queries as
// queries says: then ended is false.
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
		if older == 0 { // at least as many as were found so far: the number grows each time
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
