package posts

import (
	"cmp"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// Place returns the place of a post in the order of createdAt, for a walk that goes on after it: the
// name of a document that does not exist, posts/{p}/at/{microseconds}. An edit may move the post
// itself meanwhile, beyond others that have not come yet.
func (p Post) Place(db *schema.Database) *firestore.DocumentRef {
	return place(db.Post(p.ID), p.CreatedAt())
}

// IsAfter reports whether a post comes after a place. Every post does if it is no place.
func (p Post) IsAfter(place *firestore.DocumentRef) bool {
	at, post, ok := readPlace(place)
	return !ok || cmp.Or(p.CreatedAt().Compare(at), cmp.Compare(p.ID, post)) > 0
}

// PlaceOf returns the place of a post that [Since] found, and the post itself if [For] did.
func PlaceOf(doc *firestore.DocumentSnapshot) *firestore.DocumentRef {
	at, ordered := schema.FieldsOf(doc, schema.FieldCreatedAt)[schema.FieldCreatedAt].(time.Time)
	if !ordered {
		return doc.Ref
	}
	return place(doc.Ref, at)
}

func place(post *firestore.DocumentRef, at time.Time) *firestore.DocumentRef {
	return post.Collection("at").Doc(strconv.FormatInt(at.UnixMicro(), 10))
}

// readPlace returns the createdAt and the id of a post of a place. ok is false for another document,
// and for nil.
func readPlace(place *firestore.DocumentRef) (at time.Time, post string, ok bool) {
	if place == nil || place.Parent.Parent == nil {
		return time.Time{}, "", false
	}
	micros, err := strconv.ParseInt(place.ID, 10, 64)
	return time.UnixMicro(micros).UTC(), place.Parent.Parent.ID, err == nil
}
