package layout

import (
	"context"
	"errors"
	"maps"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
)

// Buckets keeps entries in the order of at. users/{r}/timeline/open has the newest. When it is full, all but
// its newest entry become a closed bucket, past-{sequence}, in the commit that adds another entry. With a cap,
// this overwrites the oldest closed bucket, past-{sequence mod slots}. An entry in order costs a read and a
// write of open. Closing a bucket costs one or two reads, and a write more. A page of a feed costs one or two
// reads, by name.
//
// Each bucket stores where it begins: a closed bucket begins with its oldest entry, and open begins after the
// newest entry ever closed. So an entry's at and post determine its place, whenever the entry comes. An entry
// older than open goes to the closed bucket where it belongs. With a cap, an entry older than all entries of a
// full ring is left out: a late entry never pushes out a newer one.
//
// # Exactly once
//
// Every added entry writes open on condition that open has not changed. This includes an entry for a closed
// bucket, because total changes. So between the read of open and the commit, no entry is added and no bucket
// closed. Each addition reads open, and the closed bucket where the entry belongs. So an entry is added once,
// even by a page that goes on after losing its lease, or after a lost answer.
//
// If a server changes createdAt, the entry is added at its new place, and then removed from the old one,
// unless it still belongs there: see [Document.Editing].
//
// open stores the size of the reader's buckets, and how many are kept. A changed configuration applies to new
// readers, and to others after a repair.
type Buckets struct {
	Ring   Ring
	copies bool // entries have copied fields
	light  bool
}

var _ Layout = Buckets{}

// NewBuckets returns buckets of size entries. limit is the cap, a multiple of size; 0: all. With a cap, a
// timeline keeps at least the newest limit entries. It keeps at most size more, and entries that came late.
func NewBuckets(size, limit int) Buckets { return Buckets{Ring: Ring{size, int64(limit / size)}} }

// Add costs a read of open for each reader, and a write. It costs more:
//
//   - for the first entry of a reader, a read;
//   - for each entry older than the newest closed one, a read of the newest closed bucket. For an entry older
//     than that bucket, it reads the bucket before, then the oldest bucket, and then searches the buckets
//     between by halves. Entries of an Addition share these reads. Each bucket that gets such entries costs a
//     write;
//   - for each bucket that Add closes, a read of the overwritten bucket, and a write. If open was read light,
//     Add reads it again.
//
// Add rebuilds a damaged or missing open from all buckets of the reader.
func (l Buckets) Add(ctx context.Context, db *schema.Database, tx *firestore.Transaction, adds []Addition) error {
	plans, err := l.opened(ctx, db, adds)
	if err != nil {
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
		if err := write(db, tx, adds[n].Reader, b); err != nil {
			return err
		}
	}
	return nil
}

// Light returns the layout that reads open without its entries, unless an addition may close open. Smaller
// buckets close too often for that. Larger ones may close because of their bytes: see [New].
func (l Buckets) Light() Buckets { return Buckets{l.Ring, l.copies, true} }

const (
	mostLight   = 50 // maxBucketBytes has room for this many of the largest entries
	wholeAtOnce = 8  // light buckets that a transaction reads whole, unless under Whole
)

// ErrWhole is the error of Add if it may close more light buckets than wholeAtOnce: call it again under
// [Whole].
var ErrWhole = errors.New("many buckets of a transaction may be closed")

// Whole makes Add read all documents whole: hold Held(true) for each reader.
func Whole(ctx context.Context) context.Context { return context.WithValue(ctx, inWhole{}, true) }

type inWhole struct{}

// readOpen reads open of each reader: whole, or light, with entries that have only their post ids.
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
		docs[n] = Read(snap)
		if !light {
			continue
		}
		for _, post := range docs[n].Posts {
			docs[n].Entries[post] = Entry{Post: post}
		}
		if docs[n].closedBy(adds[n].Entries) {
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

// closedBy reports whether new entries may close a light bucket. An entry counts if the bucket does not have
// it, and if it is newer than all closed entries.
func (d Document) closedBy(entries []Entry) bool {
	coming := 0
	for _, e := range entries {
		if !slices.Contains(d.Posts, e.Post) && (d.from.none() || placeOf(e).compare(d.from) > 0) {
			coming++
		}
	}
	return d.Exists && (d.Damaged() || coming > 0 && len(d.Posts)+coming > min(d.Ring.Size, mostLight))
}

// usualBytes is the usual size of an entry without copied fields.
const usualBytes = 512

// opened reads open of each reader. If open is missing, it checks whether a bucket was ever closed.
func (l Buckets) opened(ctx context.Context, db *schema.Database, adds []Addition) ([]*buckets, error) {
	opens, err := l.readOpen(ctx, db, adds)
	if err != nil {
		return nil, err
	}
	plans := make([]*buckets, len(adds))
	var first []*firestore.DocumentRef // of readers without open
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
	// A closed bucket is never deleted: a reader without a first closed bucket has never closed one.
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

// closedFields are the fields read of closed buckets. They exclude the entries, which may be large.
var closedFields = []string{FieldPosts, FieldSequence, FieldFrom, FieldTo, FieldSize, FieldSlots}

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

// planAll plans every Addition, and reads the closed buckets that the plans require.
func (l Buckets) planAll(ctx context.Context, db *schema.Database, adds []Addition, plans []*buckets) error {
	for {
		var refs []*firestore.DocumentRef
		var of []int
		for n, b := range plans {
			b.reset()
			if unknown := b.plan(adds[n].Entries, adds[n].Optional); unknown != "" {
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
				if err := l.reopen(ctx, db, adds[n].Reader, &plans[n]); err != nil {
					return err
				}
			}
		}
		if !again {
			return nil
		}
	}
}

// reopen reads open again, whole. If open is unchanged or damaged, reopen rebuilds it.
func (l Buckets) reopen(ctx context.Context, db *schema.Database, reader string, b **buckets) error {
	was := (*b).open.Updated
	now, err := l.openOf(ctx, db, reader)
	if err != nil {
		return err
	}
	if *b = now; now.open.Updated.Equal(was) || now.open.Damaged() {
		return remake(ctx, db, reader, now)
	}
	return nil
}

// write writes the changes of a plan.
//
// A crash before the commit leaves the entry to the event, or to the job's page. After the
// commit, the next call finds the entry in open, or in the closed bucket where it belongs.
func write(db *schema.Database, tx *firestore.Transaction, reader string, b *buckets) error {
	if len(b.added) == 0 && len(b.written) == 0 && !b.remade {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(b.written)) {
		p, ref, read := b.written[name], db.Timeline(reader).Doc(name), b.closed[name]
		var err error
		if p.entries != nil {
			err = replace(tx, ref, read, p.data(b.ring))
		} else {
			err = tx.Update(ref, append(adding(p.added),
				firestore.Update{Path: FieldFrom, Value: p.from.String()},
				firestore.Update{Path: FieldTo, Value: p.to.String()},
			), firestore.LastUpdateTime(read.Updated))
		}
		if err != nil {
			return err
		}
	}
	open := db.Timeline(reader).Doc(OpenID)
	if b.whole {
		return replace(tx, open, b.open, b.dataOfOpen())
	}
	updates := append(adding(b.added), firestore.Update{Path: FieldTotal, Value: b.total})
	if b.from != b.open.from {
		updates = append(updates, firestore.Update{Path: FieldFrom, Value: firestore.Delete})
	}
	return tx.Update(open, updates, firestore.LastUpdateTime(b.open.Updated))
}

// adding returns the updates that add entries to a bucket.
func adding(entries []Entry) (updates []firestore.Update) {
	if len(entries) == 0 {
		return nil
	}
	var posts, accounts []string
	for _, e := range entries {
		posts, accounts = append(posts, e.Post), append(accounts, e.accounts()...)
		updates = append(updates, firestore.Update{FieldPath: []string{fieldEntries, e.Post}, Value: e.data()})
	}
	return append(updates,
		firestore.Update{Path: FieldPosts, Value: firestore.ArrayUnion(store.Values(posts)...)},
		firestore.Update{Path: FieldAccounts, Value: firestore.ArrayUnion(store.Values(accounts)...)},
	)
}

// replace writes a whole document, on condition that the document has not changed since it was read.
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

// Held estimates the bytes of a bucket: usual entries, at most maxBucketBytes. For a light layout and not
// whole, it counts the ids of open, and a share of the entries that Add reads whole.
func (l Buckets) Held(whole bool) int {
	entry := usualBytes
	if l.copies {
		entry += maxCopyBytes
	}
	bytes := min(l.Ring.Size*entry, maxBucketBytes)
	if !whole && l.light {
		return l.Ring.Size*64 + bytes*wholeAtOnce/100
	}
	return bytes
}
