package layout

import (
	"context"
	"path"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Layout says in which documents of a reader's timeline entries are put. It is one of [Items],
// [Buckets] and [Days]. [Change] edits those of any layout.
//
// Its methods that get a transaction read without a lock, and write on condition that what
// they read has not changed. So the transaction fails as a whole if another one wrote the
// same document; the caller splits it. The caller has read, with a lock, what decides
// whether the entries belong there.
type Layout interface {
	// Add writes entries that are not there yet. It returns work.ErrTooMuch if that does
	// not fit one transaction.
	Add(ctx context.Context, db *schema.Database, tx *firestore.Transaction, adds []Addition) error
	// Mend makes a reader's timeline fit for writes that failed, where a document that
	// others rely on is missing.
	Mend(ctx context.Context, db *schema.Database, reader string) error
	// Writes reports whether a document is of this layout.
	Writes(doc Document) bool
	// Held estimates the bytes that Add holds of one reader's timeline; or whole, those of a document.
	Held(whole bool) int
}

// New returns the layout of a configuration; without timelines, one that knows the documents of all.
func New(c schema.Config) Layout {
	switch c.Timeline() {
	case schema.LayoutItems:
		return Items{Cap: c.Cap, Expire: c.Expire, Ranked: c.Ranked}
	case schema.LayoutDays:
		return Days{Expire: c.Expire}
	case schema.LayoutBuckets, "": // without timelines, what is left of any is removed by documents
		l := NewBuckets(c.Bucket, c.Cap)
		l.copies, l.light = len(c.CopiedFields) > 0, l.Ring.Size >= 25 && l.Ring.Size <= mostLight
		return l
	default:
		panic("no layout of timelines is named " + c.Timeline()) // Validate refuses it
	}
}

// Addition is entries for one reader's timeline.
type Addition struct {
	Reader  string
	Entries []Entry
	// Optional says that the entries may come or not, as a backfill's: they are left out where they have
	// no place among the newest, or where a bucket is large.
	Optional bool
	// Fresh says that layouts whose documents are named after entries need not look
	// whether they are there: a first delivery writes each, and again after a crash.
	Fresh bool
}

// IsTimeline reports whether a document is of a reader's timeline, and not of an app's
// own collection of that name.
func IsTimeline(db *schema.Database, ref *firestore.DocumentRef) bool {
	user := ref.Parent.Parent
	return user != nil && user.Path == db.User(user.ID).Path
}

// only makes reads of timelines under ctx return only some fields.
func only(ctx context.Context, fields ...string) context.Context {
	return wire.WithMask(ctx, func(document string) bool { return path.Base(path.Dir(document)) == names.Timeline }, fields...)
}
