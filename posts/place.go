package posts

import (
	"cmp"
	"strconv"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// Place returns the place of a post in the order of createdAt, for a walk that goes on after it: the
// name of a document that does not exist, posts/{p}/at/{microseconds}. An edit may move the post
// itself meanwhile, beyond others that have not come yet.
func (p Post) Place(db *schema.Database) *firestore.DocumentRef {
	return db.Post(p.ID).Collection("at").Doc(strconv.FormatInt(p.CreatedAt().UnixMicro(), 10))
}

// IsAfter reports whether a post comes after a place. Every post does if it is no place.
func (p Post) IsAfter(place *firestore.DocumentRef) bool {
	if place == nil || place.Parent.Parent == nil {
		return true
	}
	at, err := strconv.ParseInt(place.ID, 10, 64)
	return err != nil || cmp.Or(cmp.Compare(p.CreatedAt().UnixMicro(), at), cmp.Compare(p.ID, place.Parent.Parent.ID)) > 0
}
