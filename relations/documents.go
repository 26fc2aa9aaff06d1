package relations

import (
	"time"

	"cloud.google.com/go/firestore"
)

// Field names, as clients and firestore.indexes.json know them.
const (
	fieldFollowersIndex = "followers_index"      // of a user: ids of the index documents, in order
	fieldLatestIndex    = "latestFollowersIndex" // of a user: the one of them that takes who joins

	fieldFollowers  = "followers"  // of an index document and a relation: ids
	fieldCount      = "count"      // of an index document
	fieldSizeBytes  = "sizeBytes"  // of an index document and a relation
	fieldVersion    = "version"    // of an index document
	fieldChanges    = "changes"    // of an index document
	fieldBackfilled = "backfilled" // of an index document

	fieldPostID       = "postId"       // of a relation
	fieldUserID       = "userId"       // of a post and a relation: the author
	fieldIndexID      = "indexId"      // of a relation and a mirror
	fieldIndexVersion = "indexVersion" // of a relation
	fieldCreatedAt    = "createdAt"    // of a post, a relation, a follower document and a mirror

	fieldLeft    = "left"    // of a mirror
	fieldMovesTo = "movesTo" // of a mirror
)

// IndexDocument is users/{u}/followers_index/{i}: a part of u's followers.
// Only members transactions and repairs write it, but for Backfilled, which
// sync sets.
type IndexDocument struct {
	Followers []string `firestore:"followers"` // no id twice
	Count     int      `firestore:"count"`     // len(Followers), readable without them
	SizeBytes int      `firestore:"sizeBytes"` // of Followers, readable without them
	// Version is one more with each change of Followers. It begins with the time, in
	// milliseconds: a merge may have closed a document of the same name, or a purge
	// have removed it, and its versions must not come again.
	Version int64 `firestore:"version"`
	// Changes are the newest changes, oldest first, with consecutive versions
	// up to Version. When nothing is in flight they name nobody who has left.
	Changes []Change `firestore:"changes"`
	// Backfilled says that every post of the author that was there when the
	// document was opened has its relation. Until then sync looks at the
	// posts, not only at the relations.
	Backfilled bool `firestore:"backfilled"`

	// Of a document that was read:
	id               string
	created, updated time.Time
	closing          bool // its followers are moved elsewhere: nobody is put into it
}

// followers are Followers, for an array that is there though it is empty.
func (d IndexDocument) followers() []string {
	if d.Followers == nil {
		return []string{}
	}
	return d.Followers
}

// Change is what one members transaction did to an index document.
type Change struct {
	Version int64    `firestore:"version"` // that it led to
	Add     []string `firestore:"add,omitempty"`
	Remove  []string `firestore:"remove,omitempty"`
}

// Mirror is users/{f}/following/{u}: f follows u, seen from f.
type Mirror struct {
	// IndexID is the index document of u that holds f; "" once f has been
	// taken out of it.
	IndexID   string    `firestore:"indexId,omitempty"`
	CreatedAt time.Time `firestore:"createdAt"` // when the follow was made
	// Left are the index documents that f was taken out of and whose relations
	// may not know it yet. When they do, Left is emptied, or the mirror
	// deleted if f does not follow.
	Left []string `firestore:"left,omitempty"`
	// MovesTo is the index document that holds f too, while a repair moves f
	// there from IndexID; "" otherwise. Who unfollows is taken out of both.
	MovesTo string `firestore:"movesTo,omitempty"`
}

// Relation is _relations/{postId}_{indexId}: what a feed query finds. Beside
// these fields it carries the configured copies of the post's.
type Relation struct {
	PostID       string    `firestore:"postId"`
	UserID       string    `firestore:"userId"` // the author
	IndexID      string    `firestore:"indexId"`
	IndexVersion int64     `firestore:"indexVersion"` // of the index document that Followers is a copy of
	Followers    []string  `firestore:"followers"`
	SizeBytes    int       `firestore:"sizeBytes"` // of Followers, the index document's: what a transaction on the relation takes
	CreatedAt    time.Time `firestore:"createdAt"` // of the post
}

// metaFields are read in place of a whole index document.
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
