package plan

import (
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Relation is a relation without its followers.
type Relation struct {
	Ref     *firestore.DocumentRef
	Post    string
	Updated time.Time // update time, for preconditions
	UserID  string
	// Audience is "" in a direct relation.
	Audience  string
	IndexID   string
	Version   int64
	SizeBytes int            // 0: empty, or unknown
	ExpireAt  time.Time      // zero: never
	Fields    map[string]any // copied fields
}

// IsOf reports whether the relation, as it was read, should exist for a post as it is now.
// It does not check that the index document exists, or the copied fields.
func (r Relation) IsOf(post posts.Post) bool {
	if r.UserID != post.Author {
		return false
	}
	if r.IndexID == schema.DirectIndex {
		return len(post.Recipients) > 0 && r.Version == schema.RecipientsVersion(post.Recipients)
	}
	return post.Audience != "" && r.Audience == post.Audience
}

// NewestUpdate returns when the last of relations was updated; zero if there are none.
func NewestUpdate(relations []Relation) (newest time.Time) {
	for _, r := range relations {
		if r.Updated.After(newest) {
			newest = r.Updated
		}
	}
	return newest
}

// Query returns a query that finds the relations of post p by name. It needs no
// index, and works for post ids too long for a filter.
func Query(db *schema.Database, p string) firestore.Query {
	return db.Relations().OrderBy(firestore.DocumentID, firestore.Asc).Select(FieldsOf(db.Config)...).
		StartAt(db.Relation(p, "0")).
		EndAt(db.Relation(p, ":")) // ":" follows "9"
}

// FieldsOf returns the fields of a relation that are read: all but the followers.
func FieldsOf(o schema.Config) []string {
	return append(slices.DeleteFunc(names.RelationFields(), func(f string) bool { return f == schema.FieldFollowers }), o.CopiedFields...)
}

// Decode decodes relations that were read with all or some of the fields in [FieldsOf].
func Decode(o schema.Config, docs []*firestore.DocumentSnapshot) []Relation {
	relations := make([]Relation, len(docs))
	for n, doc := range docs {
		relations[n] = decode(o, doc)
	}
	return relations
}

func decode(o schema.Config, doc *firestore.DocumentSnapshot) Relation {
	data := schema.FieldsOf(doc, FieldsOf(o)...)
	r := Relation{Ref: doc.Ref, Updated: doc.UpdateTime}
	r.Post, _ = data[schema.FieldPostID].(string)
	r.UserID, _ = data[schema.FieldUserID].(string)
	r.Audience, _ = data[schema.FieldAudience].(string)
	r.IndexID, _ = data[schema.FieldIndexID].(string)
	r.Version, _ = data[schema.FieldIndexVersion].(int64)
	r.SizeBytes = intOf(data[schema.FieldSizeBytes])
	r.ExpireAt, _ = data[schema.FieldExpireAt].(time.Time)
	for _, own := range names.RelationFields() {
		if own != schema.FieldCreatedAt {
			delete(data, own)
		}
	}
	r.Fields = data
	return r
}

// intOf returns an integer field, limited to between 0 and MaxDocumentBytes: the field
// may be damaged.
func intOf(v any) int {
	n, _ := v.(int64)
	return int(max(0, min(n, schema.MaxDocumentBytes)))
}

// Data returns the fields of the relation of a post and an index document, with this horizon.
func Data(post posts.Post, index schema.IndexDocument, h schema.Horizon) map[string]any {
	relation := map[string]any{
		schema.FieldPostID:       post.ID,
		schema.FieldUserID:       post.Author,
		schema.FieldAudience:     post.Audience,
		schema.FieldIndexID:      index.ID,
		schema.FieldIndexVersion: index.Version,
		schema.FieldFollowers:    index.FollowerIDs(),
		schema.FieldSizeBytes:    index.SizeBytes,
	}
	maps.Copy(relation, post.Fields)
	if at := schema.ExpireAt(post.CreatedAt(), h.Kept); !at.IsZero() {
		relation[schema.FieldExpireAt] = at
	}
	return relation
}

// Refreshed returns the updates that bring a relation's copied fields and expireAt up to date.
func (r Relation) Refreshed(post posts.Post, h schema.Horizon) (updates []firestore.Update) {
	set := func(name string, value any) {
		updates = append(updates, firestore.Update{FieldPath: firestore.FieldPath{name}, Value: value})
	}
	for name := range r.Fields {
		if _, ok := post.Fields[name]; !ok {
			set(name, firestore.Delete)
		}
	}
	for name, value := range post.Fields {
		set(name, value)
	}
	if at := schema.ExpireAt(post.CreatedAt(), h.Kept); at.IsZero() {
		set(schema.FieldExpireAt, firestore.Delete)
	} else {
		set(schema.FieldExpireAt, at)
	}
	return updates
}
