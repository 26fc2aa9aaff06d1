package relations

import (
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/names"
)

// Field names, as clients and firestore.indexes.json use them.
const (
	fieldFollowersIndex = names.FieldFollowersIndex // of a user: ids of the index documents, in order
	fieldLatestIndex    = names.FieldLatestIndex    // of a user: the current index document

	fieldFollowers  = names.FieldFollowers // of an index document and a relation: ids
	fieldCount      = "count"              // of an index document
	fieldSizeBytes  = names.FieldSizeBytes // of an index document and a relation
	fieldVersion    = "version"            // of an index document
	fieldChanges    = "changes"            // of an index document
	fieldBackfilled = "backfilled"         // of an index document

	fieldPostID       = names.FieldPostID       // of a relation
	fieldUserID       = names.FieldUserID       // of a post and a relation: the author
	fieldIndexID      = names.FieldIndexID      // of a relation and a mirror
	fieldIndexVersion = names.FieldIndexVersion // of a relation
	fieldCreatedAt    = names.FieldCreatedAt    // of a post, a relation, a follower document and a mirror

	fieldLeft    = "left"    // of a mirror
	fieldMovesTo = "movesTo" // of a mirror
)

// IndexDocument is users/{u}/followers_index/{i}: a part of u's followers. Only members
// transactions and repairs write it. Sync also sets Backfilled, and empties Changes.
type IndexDocument struct {
	Followers []string `firestore:"followers"` // no id twice
	Count     int      `firestore:"count"`     // len(Followers), for reads without the array
	SizeBytes int      `firestore:"sizeBytes"` // of Followers, for reads without the array
	// Version grows by one with each change of Followers. It begins with the time in
	// milliseconds. So a document that is opened again, after a merge closed it or a
	// purge deleted it, does not repeat old versions.
	Version int64 `firestore:"version"`
	// Changes are the newest changes, oldest first, with consecutive versions up to
	// Version. When nothing is in flight, they name nobody who has left.
	Changes []Change `firestore:"changes"`
	// Backfilled is true once every post that existed when the document was opened has
	// its relation. Until then, sync reads the author's posts too, not only relations.
	Backfilled bool `firestore:"backfilled"`

	// Set when the document is read:
	id               string
	created, updated time.Time
	closing          bool // its followers are being moved out: nobody joins it
}

// followers returns Followers, as an empty array instead of nil.
func (d IndexDocument) followers() []string {
	if d.Followers == nil {
		return []string{}
	}
	return d.Followers
}

// Change is the change that a members transaction or a repair made to an index
// document.
type Change struct {
	Version int64    `firestore:"version"` // after the change
	Add     []string `firestore:"add,omitempty"`
	Remove  []string `firestore:"remove,omitempty"`
}

// Mirror is users/{f}/following/{u}: the follow of u by f, stored with f.
type Mirror struct {
	// IndexID is the index document of u that holds f; "" after f has left it.
	IndexID   string    `firestore:"indexId,omitempty"`
	CreatedAt time.Time `firestore:"createdAt"` // when the follow was made
	// Left names the index documents that f has left, and whose relations may still
	// hold f. After sync, Left is emptied; if f does not follow, the mirror is deleted.
	Left []string `firestore:"left,omitempty"`
	// MovesTo is the second index document that holds f while a repair moves f there
	// from IndexID; "" otherwise. An unfollow removes f from both.
	MovesTo string `firestore:"movesTo,omitempty"`
}

// Relation is _relations/{postId}_{indexId}: the document that a feed query finds. It
// also carries the configured copies of the post's fields.
type Relation struct {
	PostID       string    `firestore:"postId"`
	UserID       string    `firestore:"userId"` // the author
	IndexID      string    `firestore:"indexId"`
	IndexVersion int64     `firestore:"indexVersion"` // of the index document, when Followers was copied
	Followers    []string  `firestore:"followers"`
	SizeBytes    int       `firestore:"sizeBytes"` // of Followers, as in the index document; used to plan transactions
	CreatedAt    time.Time `firestore:"createdAt"` // of the post
}

// metaFields are the fields to read when the array is not needed.
var metaFields = []string{fieldCount, fieldSizeBytes, fieldVersion, fieldChanges, fieldBackfilled}

// relationMeta is a relation without its followers.
type relationMeta struct {
	ref     *firestore.DocumentRef
	updated time.Time // update time, for preconditions
	userID  string
	indexID string
	version int64
	size    int            // sizeBytes
	fields  map[string]any // copied fields
}
