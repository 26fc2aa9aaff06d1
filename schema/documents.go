package schema

import (
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema/names"
)

// Field names, as clients and firestore.indexes.json use them.
const (
	FieldFollowersIndex = names.FieldFollowersIndex // of a user: ids of the index documents, in order
	FieldLatestIndex    = names.FieldLatestIndex    // of a user: the current index document

	FieldFollowers  = names.FieldFollowers // of an index document and a relation: ids
	FieldCount      = "count"              // of an index document
	FieldSizeBytes  = names.FieldSizeBytes // of an index document and a relation
	FieldExpireAt   = names.FieldExpireAt
	FieldVersion    = "version"    // of an index document
	FieldChanges    = "changes"    // of an index document
	FieldBackfilled = "backfilled" // of an index document
	FieldRewritten  = "rewritten"  // of an index document

	FieldPostID       = names.FieldPostID       // of a relation
	FieldUserID       = names.FieldUserID       // of a post and a relation: the author
	FieldAudience     = names.FieldAudience     // of a post and a relation: whose followers get it
	FieldTo           = names.FieldTo           // of a post: ids of people who get it directly
	FieldRefs         = names.FieldRefs         // of a post: ids of its subjects
	FieldHidden       = names.FieldHidden       // of a post: true if nobody gets it
	FieldIndexID      = names.FieldIndexID      // of a relation and an edge
	FieldIndexVersion = names.FieldIndexVersion // of a relation
	FieldCreatedAt    = names.FieldCreatedAt    // of a post, a relation, a follower document and an edge

	FieldFollowerID = "followerId" // of a request
	FieldOwnerID    = "ownerId"    // of a group
	FieldThread     = "thread"     // of a comment: author and audience of its post at that time, with a slash between

	FieldLeft    = "left"    // of an edge
	fieldMovesTo = "movesTo" // of an edge
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
	// Changes are the newest changes, oldest first, with consecutive versions up to Version. When nothing is
	// in flight, they name no follower who has left.
	Changes []Change `firestore:"changes"`
	// Backfilled is true once every post that existed when the document was opened has
	// its relation. Until then, sync reads the author's posts too, not only relations.
	Backfilled bool `firestore:"backfilled"`
	// Rewritten is when mending last rewrote the document whole, in microseconds since 1970;
	// 0: never. See Life.
	Rewritten int64 `firestore:"rewritten,omitempty"`

	// Set when the document is read, and not stored:
	ID      string    `firestore:"-"`
	Created time.Time `firestore:"-"`
	Updated time.Time `firestore:"-"`
	Closing bool      `firestore:"-"` // its followers are being moved out: no follower joins it
}

// Life identifies the document's life for backfills: since it was opened, or last rewritten whole. It is a
// time in microseconds since 1970. A backfill that began in an earlier life may have skipped posts, and does
// not mark the document.
func (d IndexDocument) Life() int64 { return max(d.Created.UnixMicro(), d.Rewritten) }

// IndexFields returns the fields of an index document.
func IndexFields() []string {
	return []string{FieldFollowers, FieldCount, FieldSizeBytes, FieldVersion, FieldChanges, FieldBackfilled, FieldRewritten}
}

// FollowerIDs returns Followers, as an empty array instead of nil.
func (d IndexDocument) FollowerIDs() []string {
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

// Bytes returns the size of the change in the document, with field names.
func (c Change) Bytes() int {
	return 32 + IDsBytes(c.Add) + IDsBytes(c.Remove)
}

// Edge is users/{f}/following/{u}: the follow of u by f, stored with f.
type Edge struct {
	// IndexID is the index document of u that holds f; "" after f has left it.
	IndexID   string    `firestore:"indexId,omitempty"`
	CreatedAt time.Time `firestore:"createdAt"` // when the follow was made
	// Left names the index documents that f has left, and whose relations may still
	// hold f. After sync, Left is emptied; if f does not follow, the edge is deleted.
	Left []string `firestore:"left,omitempty"`
	// MovesTo is the second index document that holds f while a repair moves f there
	// from IndexID; "" otherwise. An unfollow removes f from both.
	MovesTo string `firestore:"movesTo,omitempty"`
}

// Follows reports whether, by its edge, an index document holds the follower. It returns ErrDamaged if the
// edge cannot be decoded.
func Follows(edge *firestore.DocumentSnapshot) (bool, error) {
	if !edge.Exists() {
		return false, nil
	}
	var e Edge
	if err := edge.DataTo(&e); err != nil {
		return false, &Damaged{Path: edge.Ref.Path, Author: edge.Ref.ID, Updated: edge.UpdateTime, Cause: err}
	}
	return e.IndexID != "", nil
}

// Relation is _relations/{postId}_{indexId}: the document that a feed query finds. It
// also carries the configured copies of the post's fields.
type Relation struct {
	PostID string `firestore:"postId"`
	UserID string `firestore:"userId"` // the author
	// Audience is the author or group that owns the index document IndexID. It is "" in a direct relation,
	// whose IndexID is DirectIndex.
	Audience string `firestore:"audience"`
	IndexID  string `firestore:"indexId"`
	// IndexVersion is the version of the index document when Followers was copied. In a direct relation, it is
	// the version of the recipients (see RecipientsVersion).
	IndexVersion int64     `firestore:"indexVersion"`
	Followers    []string  `firestore:"followers"`
	SizeBytes    int       `firestore:"sizeBytes"` // of Followers, as in the index document; used to plan transactions
	CreatedAt    time.Time `firestore:"createdAt"` // of the post
	ExpireAt     time.Time `firestore:"expireAt"`  // see [ExpireAt]
}

// MentionsLeavers reports whether the change log names followers who have left.
func (d IndexDocument) MentionsLeavers() bool {
	return slices.ContainsFunc(d.Changes, func(c Change) bool { return len(c.Remove) > 0 })
}

// Places returns the index documents that hold the follower, according to the edge.
func (m Edge) Places() []string {
	return slices.DeleteFunc([]string{m.IndexID, m.MovesTo}, func(i string) bool { return i == "" })
}

// SalvageIndexDocument returns the readable part of an index document that is missing or unreadable.
func SalvageIndexDocument(data map[string]any, now time.Time) IndexDocument {
	var index IndexDocument
	values, _ := data[FieldFollowers].([]any)
	for _, v := range values {
		if f, ok := v.(string); ok {
			index.Followers = append(index.Followers, f)
		}
	}
	var ok bool
	if index.Version, ok = data[FieldVersion].(int64); !ok {
		index.Version = now.UnixMilli()
	}
	return index
}

// DecodeIndexDocument decodes the fields of an index document that were read. It returns
// ErrDamaged if they cannot be decoded.
func DecodeIndexDocument(doc *firestore.DocumentSnapshot) (IndexDocument, error) {
	var meta IndexDocument
	if err := doc.DataTo(&meta); err != nil {
		return IndexDocument{}, NewDamagedIndex(doc, err)
	}
	meta.ID, meta.Created, meta.Updated = doc.Ref.ID, doc.CreateTime, doc.UpdateTime
	return meta, nil
}

// Valid reports whether all index documents that the edge names have valid names.
func (m Edge) Valid() bool {
	return !slices.ContainsFunc(append(slices.Clone(m.Left), m.Places()...), func(id string) bool { _, ok := IndexNumber(id); return !ok })
}
