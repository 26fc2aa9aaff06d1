package layout

import (
	"context"
	"errors"
	"maps"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/schema"
)

// Buckets has entries as they come, in users/{r}/timeline/open. A full open is closed: it
// becomes past-{sequence}, and the commit that closes it puts the new entry into a fresh
// one. With a cap, it overwrites the oldest closed bucket, past-{sequence mod slots}. An
// entry costs a read and a write of open, and closing a read or two, and a write more. A page
// of a feed is one or two reads, by name.
//
// # Exactly once
//
// open is written on condition that it has not changed. So between the read of open and the
// commit, nothing is added and nothing closed. Whoever adds a post that is older than
// openedAt also looks into the buckets closed since the post was created. That holds for a page
// that goes on after its lease was taken, and for an answer that was lost.
//
// An entry from before its post was created, of a post that was deleted and came back, may
// lie in a bucket closed earlier. It is removed before the post is brought again.
//
// open says how large the reader's buckets are and how many are kept. A change of the
// configuration is for new readers, and for others after a repair.
type Buckets struct {
	Ring   Ring
	copies bool // entries have copied fields
	light  bool
}

var _ Layout = Buckets{}

// NewBuckets returns buckets of size entries. With a cap, a multiple of size, a timeline
// keeps at least the newest cap entries, and at most size more; 0: all.
func NewBuckets(size, limit int) Buckets { return Buckets{Ring: Ring{size, int64(limit / size)}} }

// Add costs a read of open for each reader, and a write. It reads more:
//
//   - for the first entry of a reader, one document;
//   - if a post is older than openedAt, up to two buckets closed since, and a query; with
//     accounts, each that holds an entry of these, at least one;
//   - for each bucket that it closes, the one that is overwritten, and if it is light, open again.
//
// A damaged or missing open is made again from all buckets of the reader.
func (l Buckets) Add(ctx context.Context, db *schema.Database, tx *firestore.Transaction, adds []Addition) error {
	plans, err := l.opened(ctx, db, adds)
	if err != nil {
		return err
	}
	if err := lookBack(ctx, db, adds, plans); err != nil {
		return err
	}
	if err := l.planAll(ctx, db, adds, plans); err != nil {
		return err
	}
	size := 0
	for _, b := range plans {
		size += b.bytes()
	}
	if size > schema.TransactionBytes && (len(adds) > 1 || len(adds[0].Entries) > 1) {
		return work.ErrTooMuch
	}
	for n, b := range plans {
		if err := l.write(db, tx, adds[n].Reader, b); err != nil {
			return err
		}
	}
	return nil
}

// Light returns the layout that reads open without its entries, unless an addition may close it.
// Smaller ones are closed too often for that, larger ones may be closed for their bytes: see [New].
func (l Buckets) Light() Buckets { return Buckets{l.Ring, l.copies, true} }

const (
	mostLight   = 50 // maxBucketBytes has room for as many of the largest entries
	wholeAtOnce = 8  // light ones that a transaction reads whole, unless under Whole
)

// ErrWhole is the error of Add if more light buckets may be closed: do it again under [Whole].
var ErrWhole = errors.New("many buckets of a transaction may be closed")

// Whole makes Add read whatever it reads whole: hold Held(true) for each reader.
func Whole(ctx context.Context) context.Context { return context.WithValue(ctx, inWhole{}, true) }

type inWhole struct{}

// readOpen reads open of each reader: whole, or light, with entries that say nothing but their posts.
func (l Buckets) readOpen(ctx context.Context, db *schema.Database, adds []Addition) ([]Document, error) {
	refs := make([]*firestore.DocumentRef, len(adds))
	for n, a := range adds {
		refs[n] = db.Timeline(a.Reader).Doc(OpenID)
	}
	masked, light := ctx, l.light && ctx.Value(inWhole{}) == nil
	if light {
		masked = only(ctx, append([]string{FieldTotal}, closedFields...)...)
	}
	snaps, err := db.Client.GetAll(masked, refs)
	if err != nil {
		return nil, err
	}
	docs := make([]Document, len(adds))
	var again []int
	var full []*firestore.DocumentRef
	for n, snap := range snaps {
		if docs[n] = Read(snap); light && docs[n].closedBy(adds[n].Entries) {
			again, full = append(again, n), append(full, refs[n])
		}
	}
	if len(full) == 0 {
		return docs, nil
	} else if len(full) > wholeAtOnce && len(adds) > 1 {
		return nil, ErrWhole
	}
	snaps, err = db.Client.GetAll(ctx, full)
	for n, snap := range snaps {
		docs[again[n]] = Read(snap)
	}
	return docs, err
}

// closedBy says of a light bucket that entries which are not there may close it. It gets entries for
// its posts.
func (d *Document) closedBy(entries []Entry) bool {
	for _, post := range d.Posts {
		d.Entries[post] = Entry{Post: post}
	}
	missing := slices.ContainsFunc(entries, func(e Entry) bool { return !slices.Contains(d.Posts, e.Post) })
	return d.Exists && missing && (d.Damaged() || len(d.Posts)+len(entries) > min(d.Ring.Size, mostLight))
}

// opened reads open of each reader, and looks what was closed before if there is none.
func (l Buckets) opened(ctx context.Context, db *schema.Database, adds []Addition) ([]*buckets, error) {
	opens, err := l.readOpen(ctx, db, adds)
	if err != nil {
		return nil, err
	}
	plans := make([]*buckets, len(adds))
	var first []*firestore.DocumentRef // of those without open
	var without []int
	for n, open := range opens {
		plans[n] = newBuckets(l.Ring, open)
		if !open.Exists {
			first, without = append(first, db.Timeline(adds[n].Reader).Doc(l.Ring.Slot(1))), append(without, n)
		} else if plans[n].open.Damaged() {
			if err := remake(ctx, db, adds[n].Reader, plans[n]); err != nil {
				return nil, err
			}
		}
	}
	if len(first) == 0 {
		return plans, nil
	}
	// A closed bucket is never deleted: who has no first one has never closed one.
	docs, err := db.Client.GetAll(onlyIDs(ctx), first)
	if err != nil {
		return nil, err
	}
	for n, doc := range docs {
		if doc.Exists() {
			if err := remake(ctx, db, adds[without[n]].Reader, plans[without[n]]); err != nil {
				return nil, err
			}
		}
	}
	return plans, nil
}

// closedFields is what is read of closed buckets: not their entries, which may be large.
var closedFields = []string{FieldPosts, FieldSequence, FieldOpenedAt, FieldClosedAt, FieldSize, FieldSlots}

// onlyIDs makes reads of timelines under ctx return closedFields.
func onlyIDs(ctx context.Context) context.Context { return only(ctx, closedFields...) }

// remake reads all buckets of a reader.
func remake(ctx context.Context, db *schema.Database, reader string, b *buckets) error {
	all, err := allClosed(ctx, db.Timeline(reader).Query)
	if err == nil {
		b.remake(all)
	}
	return err
}

// allClosed returns the closed buckets that a query finds, without entries.
func allClosed(ctx context.Context, q firestore.Query) (all []Document, err error) {
	for snap, err := range store.Documents(ctx, q.OrderBy(firestore.DocumentID, firestore.Asc).Select(closedFields...)) {
		if err != nil {
			return nil, err
		}
		if doc := Read(snap); doc.shape == bucket && snap.Ref.ID != OpenID {
			all = append(all, doc)
		}
	}
	return all, nil
}

// planAll plans every Addition, and reads the buckets that are overwritten.
func (l Buckets) planAll(ctx context.Context, db *schema.Database, adds []Addition, plans []*buckets) error {
	for {
		var refs []*firestore.DocumentRef
		var of []int
		for n, b := range plans {
			b.reset()
			if unknown := b.plan(b.missing(adds[n].Entries)); unknown != "" {
				refs, of = append(refs, db.Timeline(adds[n].Reader).Doc(unknown)), append(of, n)
			}
		}
		if len(refs) > 0 {
			docs, err := db.Client.GetAll(onlyIDs(ctx), refs)
			if err != nil {
				return err
			}
			for i, snap := range docs {
				plans[of[i]].closed[snap.Ref.ID] = Read(snap)
			}
			continue
		}
		again := false
		for n, b := range plans {
			if b.behind() {
				again = true
				if err := remake(ctx, db, adds[n].Reader, b); err != nil {
					return err
				}
			}
		}
		if !again {
			return nil
		}
	}
}

// write writes what a plan has changed.
//
// A crash before the commit leaves the entry to the event, or to the job's page. After the
// commit, the next call finds the entry in open, or in a bucket closed since.
func (l Buckets) write(db *schema.Database, tx *firestore.Transaction, reader string, b *buckets) error {
	if len(b.added) == 0 && len(b.shut) == 0 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(b.shut)) {
		data := b.ring.DataOf(b.shut[name].sequence, b.shut[name].entries)
		data[FieldOpenedAt], data[FieldClosedAt] = any(firestore.ServerTimestamp), firestore.ServerTimestamp
		if b.shut[name].sequence == b.open.Sequence && !b.open.OpenedAt.IsZero() {
			data[FieldOpenedAt] = b.open.OpenedAt
		}
		if err := replace(tx, db.Timeline(reader).Doc(name), b.closed[name], data); err != nil {
			return err
		}
	}
	open := db.Timeline(reader).Doc(OpenID)
	if b.whole {
		return replace(tx, open, b.open, b.dataOfOpen())
	}
	var posts, accounts []string
	updates := []firestore.Update{{Path: FieldTotal, Value: b.total}}
	for _, e := range b.added {
		posts, accounts = append(posts, e.Post), append(accounts, e.accounts()...)
		updates = append(updates, firestore.Update{FieldPath: []string{fieldEntries, e.Post}, Value: e.data()})
	}
	return tx.Update(open, append(updates,
		firestore.Update{Path: FieldPosts, Value: firestore.ArrayUnion(store.Values(posts)...)},
		firestore.Update{Path: FieldAccounts, Value: firestore.ArrayUnion(store.Values(accounts)...)},
	), firestore.LastUpdateTime(b.open.Updated))
}

// replace writes a whole document, on condition that it is as it was read.
func replace(tx *firestore.Transaction, ref *firestore.DocumentRef, read Document, data map[string]any) error {
	if !read.Exists {
		return tx.Create(ref, data)
	}
	return tx.Update(ref, UpdatesOf(data), firestore.LastUpdateTime(read.Updated))
}

// UpdatesOf returns the updates that replace fields.
func UpdatesOf(data map[string]any) (updates []firestore.Update) {
	for _, name := range slices.Sorted(maps.Keys(data)) {
		updates = append(updates, firestore.Update{Path: name, Value: data[name]})
	}
	return updates
}

// Held is usual entries, or the most bytes of a bucket. Add holds the ids of a light open, and the
// entries of those that it reads whole.
func (l Buckets) Held(whole bool) int {
	entry := 512
	if l.copies {
		entry += maxCopyBytes
	}
	bytes := min(l.Ring.Size*entry, maxBucketBytes)
	if !whole && l.light {
		return l.Ring.Size*64 + bytes*wholeAtOnce/100
	}
	return bytes
}
