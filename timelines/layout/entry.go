package layout

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// The fields of documents of a timeline.
const (
	FieldPosts    = "posts"    // ids of the posts that have an entry
	FieldAccounts = "accounts" // ids of authors and audiences of entries; perhaps of some that had one
	fieldEntries  = "entries"  // of buckets and days: entries by post
	FieldDay      = "day"      // of days: the document's id

	FieldSequence = "sequence" // of buckets: their number, from 1
	FieldFrom     = "from"     // of closed buckets: the place of the oldest entry; of open: of the newest entry ever closed
	FieldTo       = "to"       // of closed buckets: the place of the newest entry
	FieldTotal    = "total"    // of open: entries in all buckets
	fieldExpireAt = "expireAt" // of items and days: when Firestore deletes the document
	FieldSize     = "size"     // of buckets: the most entries in a bucket of this reader
	FieldSlots    = "slots"    // of buckets: the most closed buckets; 0: no limit

	// Of an entry. An item has them at the top.
	fieldPost     = "post"
	fieldAuthor   = "author"
	fieldAudience = names.FieldAudience
	FieldAt       = "at"
	fieldCreated  = "created" // of an item that a comment has lifted: the post's createdAt, as at is stored
	fieldKind     = names.FieldKind
	fieldCopies   = "fields"
	fieldMark     = names.FieldHidden // true: the reader hides it
)

// entryFields returns the fields that come from the post. Corrections keep other fields, such as the mark of
// an entry that its reader hides.
func entryFields() []string {
	return []string{fieldPost, fieldAuthor, fieldAudience, FieldAt, fieldKind, fieldCopies}
}

// Entry is a post in a reader's timeline.
type Entry struct {
	Post   string
	Author string
	// Audience is the audience that brings the post to the reader. It is "" if the post names the reader, who
	// keeps the post after an unfollow.
	Audience string
	// At is the post's createdAt, in microseconds since 1970. If timelines are ranked, comments
	// raise it.
	At int64
	// Created is the post's createdAt, also if comments raised At. It is stored only if the two differ; 0:
	// equal to At. See [Entry.CreatedAt].
	Created int64
	Kind    string // of the post
	// Copies are the post's fields that deliveries copy, without createdAt. It is empty if they are larger
	// than maxCopyBytes, or deeper than maxCopyDepth.
	Copies map[string]any
	// Hidden says that the reader hides the entry: see [Mark]. It is stored only if it is true.
	Hidden bool

	// Sequence is the number of the bucket that a page found the entry in; 0 in other
	// layouts. It is not stored.
	Sequence int64
}

// maxCopyBytes is the most bytes of an entry's copied fields. An edit that enlarges them must not make a
// bucket larger than Firestore allows.
const maxCopyBytes = 2 << 10

// maxCopyDepth is the most maps within maps. Firestore stores 20, and an entry adds two.
const maxCopyDepth = 18

// For returns the entry of a post for a reader.
func For(post posts.Post, reader string) Entry {
	e := Entry{Post: post.ID, Author: post.Author, Audience: post.Audience, At: post.CreatedAt().UnixMicro(), Created: post.CreatedAt().UnixMicro(), Kind: post.Kind}
	if slices.Contains(post.Recipients, reader) {
		e.Audience = ""
	}
	for name, value := range post.Fields {
		if name != schema.FieldCreatedAt {
			if e.Copies == nil {
				e.Copies = map[string]any{}
			}
			e.Copies[name] = value
		}
	}
	if schema.ValueBytes(e.Copies) > maxCopyBytes || schema.Depth(e.Copies) > maxCopyDepth {
		e.Copies = nil
	}
	return e
}

// CreatedAt returns the post's createdAt, in microseconds since 1970. Entries expire by it, so comments do not
// delay expiry.
func (e Entry) CreatedAt() int64 { return cmp.Or(e.Created, e.At) }

// storedCreated returns an item's update for Created: a deletion if Created equals At.
func (e Entry) storedCreated() any {
	if e.CreatedAt() == e.At {
		return firestore.Delete
	}
	return e.Created
}

// expiry returns when an entry expires.
func expiry(after time.Duration, e Entry) time.Time {
	return storable(time.UnixMicro(e.CreatedAt()).Add(after))
}

// storable returns t, at most the last second that Firestore stores.
func storable(t time.Time) time.Time {
	if latest := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC); t.After(latest) {
		return latest
	}
	return t
}

// expired reports whether an entry should be deleted by now; never if after is 0.
func expired(after time.Duration, e Entry) bool {
	return after > 0 && expiry(after, e).Before(time.Now())
}

// data returns the fields of a new entry.
func (e Entry) data() map[string]any {
	data := map[string]any{fieldPost: e.Post, fieldAuthor: e.Author, fieldAudience: e.Audience, FieldAt: e.At}
	if e.Kind != "" {
		data[fieldKind] = e.Kind
	}
	if len(e.Copies) > 0 {
		data[fieldCopies] = e.Copies
	}
	if e.Hidden {
		data[fieldMark] = true
	}
	return data
}

// merging returns the fields of the current post that replace an earlier state, with a value for each of
// [entryFields].
func (e Entry) merging() map[string]any {
	data := e.data()
	for _, name := range entryFields() {
		if _, ok := data[name]; !ok {
			data[name] = firestore.Delete
		}
	}
	return data
}

// updates returns the changes that replace an entry below a path.
func (e Entry) updates(path ...string) (updates []firestore.Update) {
	data := e.merging()
	for _, name := range entryFields() {
		updates = append(updates, firestore.Update{FieldPath: append(slices.Clone(path), name), Value: data[name]})
	}
	return updates
}

// Same reports whether two entries have the same fields from the post.
func (e Entry) Same(other Entry) bool {
	return e.Post == other.Post && e.Author == other.Author && e.Audience == other.Audience && e.At == other.At && e.CreatedAt() == other.CreatedAt() &&
		e.Kind == other.Kind && schema.SameFields(e.Copies, other.Copies)
}

// accounts returns the ids that the entry names.
func (e Entry) accounts() []string {
	ids := []string{e.Author}
	if e.Audience != "" && e.Audience != e.Author {
		ids = append(ids, e.Audience)
	}
	return ids
}

// bytes estimates the entry's size in a document, with its post id as a key and in an array.
func (e Entry) bytes() int { return 2*len(e.Post) + schema.ValueBytes(e.data()) + 64 }

// readEntry decodes an entry. A field that is missing or cannot be decoded is zero, and so differs from the
// post.
func readEntry(data map[string]any) Entry {
	var e Entry
	e.Post, _ = data[fieldPost].(string)
	e.Author, _ = data[fieldAuthor].(string)
	e.Audience, _ = data[fieldAudience].(string)
	e.At, _ = data[FieldAt].(int64)
	e.Kind, _ = data[fieldKind].(string)
	e.Copies, _ = data[fieldCopies].(map[string]any)
	e.Hidden, _ = data[fieldMark].(bool)
	return e
}

// NewestFirst is the order of items as queries return them, and of the entries of a day: by at, and for equal
// at by the post's id.
func NewestFirst(a, b Entry) int {
	return cmp.Or(cmp.Compare(b.At, a.At), strings.Compare(b.Post, a.Post))
}

// HighestFirst is the order of the entries of a bucket: by at, and for equal at by a hash of the post's id.
// When a bucket closes, the first entry in this order stays in open.
func HighestFirst(a, b Entry) int {
	if a.At != b.At {
		return cmp.Compare(b.At, a.At)
	}
	return placeOf(b).compare(placeOf(a))
}
