package posts

import (
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
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

// IDs returns the ids of posts.
func IDs(posts []Post) []string {
	ids := make([]string, len(posts))
	for n, post := range posts {
		ids[n] = post.ID
	}
	return ids
}
