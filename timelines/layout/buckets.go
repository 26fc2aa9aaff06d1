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

// Buckets has entries in the order of at. users/{r}/timeline/open has the newest. When it is full, all
// but its newest entry become a closed bucket, past-{sequence}, in the commit that adds another. With
// a cap, that overwrites the oldest closed bucket, past-{sequence mod slots}. An entry in order costs
// a read and a write of open, and closing a read or two, and a write more. A page of a feed is one or
// two reads, by name.
//
// Each bucket says where it begins: a closed one with its oldest entry, open after the newest that was
// ever closed. So the place of an entry follows from its at and its post, whenever it comes. An entry
// that is older than open goes to the closed bucket where it belongs. With a cap, one that is older than
// all that a full ring keeps is left out: nothing that comes late pushes out what is newer.
//
// # Exactly once
//
// open is written on condition that it has not changed, with every entry: also with one that goes to a
// closed bucket, as total changes. So between the read of open and the commit, nothing is added and
// nothing closed. Whoever adds looks into open, and into the closed bucket where the entry belongs. That
// holds for a page that goes on after its lease was taken, and for an answer that was lost.
//
// If a server changes createdAt, the entry is brought to its new place, and then removed from the old one, unless
// it still belongs there: see [Document.Editing].
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
// keeps at least the newest cap entries, and at most size more and those that came late; 0: all.
func NewBuckets(size, limit int) Buckets { return Buckets{Ring: Ring{size, int64(limit / size)}} }

// Add costs a read of open for each reader, and a write. It costs more:
//
//   - for the first entry of a reader, a read;
//   - for each entry that is older than the newest closed one, a read of the newest closed bucket, and if
//     it is older than that, of the one before; then of the oldest, and of those between by halves.
//     Entries of an Addition share these. For each bucket that gets such entries, a write;
//   - for each bucket that it closes, a read of the one that is overwritten, and if it is light, of open
//     again, and a write.
//
// A damaged or missing open is made again from all buckets of the reader.
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

// closedBy says of a light bucket that entries which are not there, and are newer than all closed ones,
// may close it.
func (d Document) closedBy(entries []Entry) bool {
	coming := 0
	for _, e := range entries {
		if !slices.Contains(d.Posts, e.Post) && (d.from.none() || placeOf(e).compare(d.from) > 0) {
			coming++
		}
	}
	return d.Exists && (d.Damaged() || coming > 0 && len(d.Posts)+coming > min(d.Ring.Size, mostLight))
}

// usualBytes is what an entry without copied fields has, as a rule.
const usualBytes = 512

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

// planAll plans every Addition, and reads the closed buckets that the plans have to know.
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

// reopen reads open again, whole. If it is as it was, or damaged, it is made again.
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

// write writes what a plan has changed.
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
