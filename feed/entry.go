package feed

import (
	"context"
	"slices"
	"time"

	"example.com/relationindex/schema"
)

// source lists the entries of a page, newest first. Entries of the same time are ordered by name, descending.
type source interface {
	// entries returns the next entries after a position, at most limit, and whether there
	// may be more.
	entries(ctx context.Context, after position, limit int) (found []entry, more bool, err error)
}

// entry is a post's place in a list.
type entry struct {
	name      string    // id of the document that was found
	createdAt time.Time // orders the list
	post      string    // its id; "" leaves the entry out of pages
	author    string
	audience  string // the post is for the followers of this account; "": for the author, and for the people in its field `to`

	sequence int64 // of a timeline of buckets: orders the list before createdAt

	// stem begins the names of all entries of the post; "" if the post cannot have another entry.
	stem string
}

// fits reports whether the post with these fields still matches the entry, and so is for this reader. A hidden post
// does not fit any entry.
func (e entry) fits(post map[string]any, reader string) bool {
	if post[schema.FieldUserID] != e.author {
		return false
	}
	// A damaged field gives nobody access. The post's event logs the damage.
	if e.audience != "" {
		audience, _ := schema.AudienceOf(e.author, post)
		return audience == e.audience
	}
	recipients, _ := schema.RecipientsOf(e.author, post, true)
	return slices.Contains(recipients, reader)
}
