package posts

import (
	"cmp"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// Place returns the place of a post in the order of createdAt, from which a walk can continue. It is the name of a
// document that does not exist, posts/{p}/at/{microseconds}. The post itself could not serve: an edit may move it
// meanwhile, beyond posts that the walk has not reached.
func (p Post) Place(db *schema.Database) *firestore.DocumentRef {
	return place(db.Post(p.ID), p.CreatedAt())
}

// IsAfter reports whether a post comes after a place. If place is no place, every post does.
func (p Post) IsAfter(place *firestore.DocumentRef) bool {
	at, post, ok := readPlace(place)
	return !ok || cmp.Or(p.CreatedAt().Compare(at), cmp.Compare(p.ID, post)) > 0
}

// PlaceOf returns the place of a post that [Since] found. For a post that [For] found, it returns the post itself.
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

// readPlace returns the createdAt and the id of the post at a place. ok is false for another document, and for nil.
func readPlace(place *firestore.DocumentRef) (at time.Time, post string, ok bool) {
	if place == nil || place.Parent.Parent == nil {
		return time.Time{}, "", false
	}
	micros, err := strconv.ParseInt(place.ID, 10, 64)
	return time.UnixMicro(micros).UTC(), place.Parent.Parent.ID, err == nil
}
