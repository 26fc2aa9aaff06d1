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

// For returns a query for the posts to an audience, and for posts of the same author to
// others: posts of servers, and of people from before, have no field audience. [IDsFor] and
// [DecodeFor] leave out the others. The query reads what [schema.AudienceOf] needs.
func For(db *schema.Database, audience string) firestore.Query {
	var filter firestore.EntityFilter = firestore.PropertyFilter{Path: schema.FieldUserID, Operator: "==", Value: audience}
	if schema.IsGroup(audience) {
		filter = firestore.OrFilter{Filters: []firestore.EntityFilter{
			firestore.PropertyFilter{Path: schema.FieldAudience, Operator: "==", Value: audience}, filter,
		}}
	}
	return collection(db).
		WhereEntity(filter).OrderBy(firestore.DocumentID, firestore.Asc).
		Select(schema.FieldUserID, schema.FieldAudience, schema.FieldHidden)
}

func collection(db *schema.Database) *firestore.CollectionRef {
	return db.Client.Collection(db.Options.Collections.Posts)
}

// IDsFor returns the ids of the posts, of those that [For] found, that are to an audience.
func IDsFor(audience string, docs []*firestore.DocumentSnapshot) (ids []string) {
	for _, doc := range docs {
		data := schema.FieldsOf(doc, schema.FieldUserID, schema.FieldAudience, schema.FieldHidden)
		author, _ := data[schema.FieldUserID].(string)
		if to, _ := schema.AudienceOf(author, data); to == audience && schema.CheckPostID(doc.Ref.ID) == nil {
			ids = append(ids, doc.Ref.ID)
		}
	}
	return ids
}

// DecodeFor returns the posts that exist and are to an audience. Events of the other posts
// handle those.
func DecodeFor(o schema.Options, audience string, docs []*firestore.DocumentSnapshot) (posts []Post) {
	for _, doc := range docs {
		if !doc.Exists() {
			continue
		}
		if post, err := Decode(o, doc); err == nil && post.Audience == audience {
			posts = append(posts, post)
		}
	}
	return posts
}

// Latest is the latest time that Firestore stores. Values of other types sort after it.
var Latest = time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)

// Newest returns the newest n posts to an audience, newest first, with author, audience,
// kind and createdAt alone. Posts whose createdAt is no timestamp are left out. It costs a read for
// each post, and for each of the author's in between that is hidden or for others. After ten
// queries it makes another one, for posts with the fields audience and hidden, and returns
// what it has. In a transaction (nil: none), that is true at the commit.
func Newest(ctx context.Context, tx *firestore.Transaction, db *schema.Database, audience string, n int) ([]Post, error) {
	return newest(ctx, tx, db, audience, n, 10)
}

// NewestOfAll is [Newest], but looks at as many posts as it takes.
func NewestOfAll(ctx context.Context, db *schema.Database, audience string, n int) ([]Post, error) {
	return newest(ctx, nil, db, audience, n, math.MaxInt)
}

func newest(ctx context.Context, tx *firestore.Transaction, db *schema.Database, audience string, n, queries int) ([]Post, error) {
	posts := collection(db)
	filled := posts.Where(schema.FieldAudience, "==", audience).Where(schema.FieldHidden, "==", false)
	var from []firestore.Query
	switch {
	case db.Options.PostsFilled:
		from = append(from, filled)
	case schema.IsGroup(audience):
		from = append(from, posts.Where(schema.FieldAudience, "==", audience), posts.Where(schema.FieldUserID, "==", audience))
	default: // a person's audience is for that person's posts
		from = append(from, posts.Where(schema.FieldUserID, "==", audience))
	}
	var found []Post
	all := true
	for _, q := range from {
		some, ended, err := newestOf(ctx, tx, db.Options, q, audience, n, queries)
		if err != nil {
			return nil, err
		}
		found, all = append(found, some...), all && ended
	}
	if !all { // many are hidden, or for others
		some, _, err := newestOf(ctx, tx, db.Options, filled, audience, n, 1)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	slices.SortStableFunc(found, func(a, b Post) int {
		return cmp.Or(b.CreatedAt().Compare(a.CreatedAt()), cmp.Compare(b.ID, a.ID))
	})
	found = slices.CompactFunc(found, func(a, b Post) bool { return a.ID == b.ID })
	return found[:min(n, len(found))], nil
}

// newestOf returns the newest n posts to an audience that q finds. It has not ended if the
// queries did not suffice.
func newestOf(ctx context.Context, tx *firestore.Transaction, o schema.Options, q firestore.Query, audience string, n, queries int) (found []Post, ended bool, err error) {
	q = q.Where(schema.FieldCreatedAt, "<=", Latest).
		OrderBy(schema.FieldCreatedAt, firestore.Desc).
		Select(schema.FieldUserID, schema.FieldAudience, schema.FieldHidden, schema.FieldCreatedAt, names.FieldKind)
	for range queries {
		missing := n - len(found)
		next := q.Limit(missing)
		read := next.Documents(ctx)
		if tx != nil {
			read = tx.Documents(next)
		}
		docs, err := read.GetAll()
		if err != nil {
			return nil, false, err
		}
		found = append(found, DecodeFor(o, audience, docs)...)
		if len(docs) < missing || len(found) == n {
			return found, true, nil
		}
		q = q.StartAfter(docs[len(docs)-1])
	}
	return found, false, nil
}

// IDs returns the ids of posts.
func IDs(posts []Post) []string {
	ids := make([]string, len(posts))
	for n, post := range posts {
		ids[n] = post.ID
	}
	return ids
}
