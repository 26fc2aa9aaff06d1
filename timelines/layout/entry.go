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
	FieldFrom     = "from"     // of closed buckets: the place of the oldest entry; of open: of the newest ever closed
	FieldTo       = "to"       // of closed buckets: the place of the newest entry
	FieldTotal    = "total"    // of open: entries in all buckets
	fieldExpireAt = "expireAt" // of items and days: when Firestore deletes the document
	FieldSize     = "size"     // of buckets: the most entries of a bucket of this reader
	FieldSlots    = "slots"    // of buckets: how many closed ones there are, at most; 0: no end

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

// entryFields returns the fields that say what the post says. Corrections leave others alone: the
// mark of an entry that its reader hides.
func entryFields() []string {
	return []string{fieldPost, fieldAuthor, fieldAudience, FieldAt, fieldKind, fieldCopies}
}

// Entry is a post in a reader's timeline.
type Entry struct {
	Post   string
	Author string
	// Audience is the one that brings the post to the reader; "" if the post names the
	// reader, who keeps it after an unfollow.
	Audience string
	// At is the post's createdAt, in microseconds since 1970. If timelines are ranked, comments
	// raise it.
	At int64
	// Created is the post's createdAt too, whatever At is. It is stored only where they differ; 0: it is
	// At. See [Entry.CreatedAt].
	Created int64
	Kind    string // the post's
	// Copies are the fields that deliveries copy, without createdAt; none if they are larger
	// than maxCopyBytes, or deeper than maxCopyDepth.
	Copies map[string]any
	// Hidden says that the reader hides the entry: see [Mark]. It is stored only if it is true.
	Hidden bool

	// Sequence is the number of the bucket that a page found the entry in; 0 in other
	// layouts. It is not stored.
	Sequence int64
}

// maxCopyBytes is for the copied fields of an entry. An edit that makes them larger must not make
// a bucket larger than a document may be.
const maxCopyBytes = 2 << 10

// maxCopyDepth is for maps within maps: of the 20 that Firestore stores, an entry takes two more.
const maxCopyDepth = 18

// For returns a post's entry for a reader whom it reaches.
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

// CreatedAt returns the post's createdAt, in microseconds since 1970. Entries expire by it: no comment
// prolongs that.
func (e Entry) CreatedAt() int64 { return cmp.Or(e.Created, e.At) }

// storedCreated returns what an item has of Created, as an update: nothing where it is At.
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

// storable returns t, or the last second that Firestore stores.
func storable(t time.Time) time.Time {
	if latest := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC); t.After(latest) {
		return latest
	}
	return t
}

// expired reports whether an entry is to be deleted by now; never if after is 0.
func expired(after time.Duration, e Entry) bool {
	return after > 0 && expiry(after, e).Before(time.Now())
}

// data returns the entry as it is stored for the first time.
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

// merging returns what a post says as it replaces what it said, with a value for each of
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

// Same reports whether two entries say the same of the post.
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

// bytes estimates the entry's size in a document: also its id as a key and in an array.
func (e Entry) bytes() int { return 2*len(e.Post) + schema.ValueBytes(e.data()) + 64 }

// readEntry decodes an entry. What is missing or cannot be decoded is zero, and so differs
// from what the post says.
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

// NewestFirst is the order of items as queries return them, and of the entries of a day: by at, and where that is equal by
// the post's id.
func NewestFirst(a, b Entry) int {
	return cmp.Or(cmp.Compare(b.At, a.At), strings.Compare(b.Post, a.Post))
}

// HighestFirst is the order of the entries of a bucket: by at, and where that is equal by a hash of the post's id. Of a
// bucket that closes, the first one stays in open.
func HighestFirst(a, b Entry) int {
	if a.At != b.At {
		return cmp.Compare(b.At, a.At)
	}
	return placeOf(b).compare(placeOf(a))
}
