package layout

import (
	"context"
	"path"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Layout chooses the documents for the entries of a reader's timeline. It is one of [Items], [Buckets] and
// [Days]. [Change] edits documents of any layout.
//
// Methods with a transaction read without a lock, and write on condition that the documents have not changed.
// So the transaction fails as a whole if another one wrote the same document; the caller splits it. The caller
// has read, with a lock, the documents that decide whether the entries belong there.
type Layout interface {
	// Add writes missing entries. It returns work.ErrTooMuch if the entries exceed one transaction.
	Add(ctx context.Context, db *schema.Database, tx *firestore.Transaction, adds []Addition) error
	// Mend repairs a reader's timeline after failed writes, if a document that others rely on is missing.
	Mend(ctx context.Context, db *schema.Database, reader string) error
	// Writes reports whether a document is of this layout.
	Writes(doc Document) bool
	// Held estimates the bytes that Add holds of one reader's timeline; with whole, the bytes of a document.
	Held(whole bool) int
}

// New returns the layout of a configuration. Without timelines, it returns a layout that recognizes all
// documents.
func New(c schema.Config) Layout {
	switch c.Timeline() {
	case schema.LayoutItems:
		return Items{Cap: c.Cap, Expire: c.Expire, Ranked: c.Ranked}
	case schema.LayoutDays:
		return Days{Expire: c.Expire}
	case schema.LayoutBuckets, "": // without timelines, documents of any layout are removed
		l := NewBuckets(c.Bucket, c.Cap)
		l.copies, l.light = len(c.CopiedFields) > 0, l.Ring.Size >= 25 && l.Ring.Size <= mostLight
		return l
	default:
		panic("no layout of timelines is named " + c.Timeline()) // Validate rejects it
	}
}

// Addition is entries for one reader's timeline.
type Addition struct {
	Reader  string
	Entries []Entry
	// Optional says that the entries may be left out, as a backfill's may. They are left out if they are not
	// among the newest, or if a bucket is large.
	Optional bool
	// Fresh says that layouts whose documents are named after entries need not check whether the entries
	// exist. A first delivery writes each entry, and again after a crash.
	Fresh bool
}

// IsTimeline reports whether a document belongs to a reader's timeline, and not to an app's own collection of
// the same name.
func IsTimeline(db *schema.Database, ref *firestore.DocumentRef) bool {
	user := ref.Parent.Parent
	return user != nil && user.Path == db.User(user.ID).Path
}

// IsFull reports whether a reader's timeline is at its cap. Then it may lack older entries, which newer ones have pushed
// out or kept out. With [Items], it costs a read for every thousand entries of the reader; with [Buckets], a read of open;
// without a cap, nothing. With [Days], it reports whether a day with entries of an account has no room for entries by name.
// Then it costs a read for each such day, and another for each of them with many entries.
func IsFull(ctx context.Context, l Layout, db *schema.Database, reader, account string) (bool, error) {
	if l, ok := l.(Items); ok && l.Cap > 0 {
		n, err := bulk.Count(ctx, db.Timeline(reader).OrderBy(FieldAt, firestore.Asc))
		return n >= int64(l.Cap), err
	}
	if l, ok := l.(Days); ok {
		return l.isFull(ctx, db, reader, account)
	}
	if l, ok := l.(Buckets); !ok || l.Ring.Slots == 0 {
		return false, nil
	}
	docs, err := db.Client.GetAll(only(ctx, append([]string{FieldTotal}, closedFields...)...), []*firestore.DocumentRef{db.Timeline(reader).Doc(OpenID)})
	if err != nil {
		return false, err
	}
	open, slots := Read(docs[0]), Read(docs[0]).Ring.Slots
	return slots > 0 && (open.Sequence > slots+1 || open.Total > slots*int64(open.Ring.Size)), nil
}

// only makes reads of timelines under ctx return only some fields.
func only(ctx context.Context, fields ...string) context.Context {
	return wire.WithMask(ctx, func(document string) bool { return path.Base(path.Dir(document)) == names.Timeline }, fields...)
}
