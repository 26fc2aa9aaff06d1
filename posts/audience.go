package posts

import (
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// For returns a query for the posts to an audience. The query also finds posts of the same author to others, because
// posts by servers and by earlier releases have no field audience. [IDsFor] and [DecodeFor] leave out the posts to
// others. The query reads the fields that [schema.AudienceOf] needs.
func For(db *schema.Database, audience string) firestore.Query {
	return collection(db).
		WhereEntity(filterFor(audience)).OrderBy(firestore.DocumentID, firestore.Asc).
		Select(schema.FieldUserID, schema.FieldAudience, schema.FieldHidden)
}

// filterFor finds the posts of [For].
func filterFor(audience string) firestore.EntityFilter {
	byAuthor := firestore.PropertyFilter{Path: schema.FieldUserID, Operator: "==", Value: audience}
	if !schema.IsGroup(audience) {
		return byAuthor
	}
	return firestore.OrFilter{Filters: []firestore.EntityFilter{
		firestore.PropertyFilter{Path: schema.FieldAudience, Operator: "==", Value: audience}, byAuthor,
	}}
}

// Since returns the query of [For] for posts created at from or later, newest first, after a place: see [PlaceOf]. It
// leaves out posts whose createdAt is no timestamp. If the place is older than from, no posts are left and ended is
// true: from moves with the clock, and Firestore rejects such a query.
func Since(db *schema.Database, audience string, from time.Time, after *firestore.DocumentRef) (q firestore.Query, ended bool) {
	q = collection(db).WhereEntity(filterFor(audience)).
		Where(schema.FieldCreatedAt, ">=", from).Where(schema.FieldCreatedAt, "<=", schema.LatestTime).
		OrderBy(schema.FieldCreatedAt, firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc).
		Select(schema.FieldUserID, schema.FieldAudience, schema.FieldHidden, schema.FieldCreatedAt)
	if at, p, ok := readPlace(after); ok {
		return q.StartAfter(at, p), at.Before(from)
	}
	return q, false
}

// Naming returns the query of posts in which an author names a reader, newest first, after a place: see [PlaceOf]. It
// selects the fields that decide who gets a post, and leaves out posts whose createdAt is no timestamp.
func Naming(db *schema.Database, author, reader string, after *firestore.DocumentRef) firestore.Query {
	q := collection(db).Where(schema.FieldTo, "array-contains", reader).Where(schema.FieldUserID, "==", author).
		Where(schema.FieldCreatedAt, "<=", schema.LatestTime).
		OrderBy(schema.FieldCreatedAt, firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc).
		Select(append(names.PostFields(), names.FieldKind)...)
	if at, p, ok := readPlace(after); ok {
		q = q.StartAfter(at, p)
	}
	return q
}

func collection(db *schema.Database) *firestore.CollectionRef {
	return db.Client.Collection(db.Config.Collections().Posts)
}

// IDsFor returns the ids of the posts to an audience, among documents that [For] found.
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

// DecodeFor returns the posts that exist and are to an audience. The other posts have events of their own.
func DecodeFor(o schema.Config, audience string, docs []*firestore.DocumentSnapshot) (posts []Post) {
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

// IDs returns the ids of posts.
func IDs(posts []Post) []string {
	ids := make([]string, len(posts))
	for n, post := range posts {
		ids[n] = post.ID
	}
	return ids
}
