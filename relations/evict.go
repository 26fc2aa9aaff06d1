package relations

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/relations/kept"
	"example.com/relationindex/relations/plan"
	"example.com/relationindex/schema"
)

// countsEach is the horizon below which each new post makes its audience count. Above, every
// second post does.
const countsEach = 32

// evictAfter evicts posts of the audience of a post that has just become kept. It costs
// nothing for every second new post.
//
// A crash leaves more posts than necessary: the event of a new post evicts them when it is
// redelivered, and otherwise the next new post.
func (x *Delivery) evictAfter(ctx context.Context, post posts.Post, horizon int) error {
	if horizon >= countsEach && post.Fresh() && post.Created.UnixMicro()%2 == 1 {
		return nil
	}
	_, err := x.turns.Do(ctx, post.Audience, turn{})
	return err
}

// Evict deletes the relations of an audience's oldest kept posts, down to horizon, if more
// than most are kept. It returns how many posts it evicted. It enqueues no jobs.
//
// It costs a read for each thousand kept posts; then one for each evicted post, five for
// each transaction, and a delete for each relation. You may call it concurrently and again.
func (x *Delivery) Evict(ctx context.Context, audience string, horizon, most int) (evicted int, err error) {
	return x.evict(ctx, audience, horizon, most, math.MaxInt, x.evictAlone)
}

// evict is Evict for at most limit posts. For each post with too many relations for a
// transaction it calls alone.
func (x *Delivery) evict(ctx context.Context, audience string, horizon, most, limit int, alone func(context.Context, plan.Relation) error) (evicted int, err error) {
	err = work.UntilSettled(ctx, func() (int, error) {
		n, err := bulk.Count(ctx, x.kept.Markers(audience))
		if err != nil || n <= int64(most) {
			return 0, err
		}
		for left := min(int(n)-horizon, limit); left > 0; {
			victims, err := x.oldest(ctx, audience, min(left, x.db.Options.InlineLimit))
			if err != nil || len(victims) == 0 {
				return 0, err
			}
			left -= len(victims)
			for len(victims) > 0 {
				n, err := x.evictSome(ctx, audience, victims, horizon)
				if errors.Is(err, work.ErrTooMuch) {
					n, err = 1, alone(ctx, victims[0])
				}
				if errors.Is(err, errMayNotEvict) {
					return 0, nil
				}
				if err != nil {
					return 0, err
				}
				evicted += n
				victims = victims[n:]
			}
		}
		return 0, nil
	})
	if err != nil {
		err = fmt.Errorf("evict posts to %s: %w", x.db.User(audience).Path, err)
	}
	return evicted, err
}

// oldest returns the oldest n kept posts of an audience.
func (x *Delivery) oldest(ctx context.Context, audience string, n int) ([]plan.Relation, error) {
	docs, err := x.kept.Markers(audience).Select(plan.FieldsOf(x.db.Options)...).Limit(n).Documents(ctx).GetAll()
	if err != nil {
		return nil, err
	}
	return plan.Decode(x.db.Options, docs), nil
}

// errMayNotEvict means that the horizon was raised, or that the audience has lost posts.
var errMayNotEvict = errors.New("no post of the audience may be evicted")

// evictSome deletes the relations of the first n of victims, as many as fit in one
// transaction. It returns ErrTooMuch if the first does not fit.
//
// The transaction reads which index documents exist: a relation to another one was written
// before, and is deleted, or sees in its own transaction that the marker is gone. It reads
// the removal document before it counts the others, so that none is removed before its
// commit. Each marker must be as it was read: its post may be newer now.
func (x *Delivery) evictSome(ctx context.Context, audience string, victims []plan.Relation, horizon int) (n int, err error) {
	err = x.db.Client.RunTransaction(x.graph.WithoutFollowers(ctx), func(ctx context.Context, tx *firestore.Transaction) error {
		indexes, err := x.evictable(tx, audience, horizon)
		if err != nil {
			return err
		}
		bytes := 0
		for n = 0; n < len(victims); n++ {
			bytes += len(indexes) * victims[n].Bytes(x.db.Options) // the others are about as large
			if bytes > schema.TransactionBytes || (n+1)*len(indexes) > max(x.db.Options.InlineLimit, len(indexes)) {
				break
			}
		}
		if n == 0 || len(indexes) > x.db.Options.InlineLimit {
			return work.ErrTooMuch
		}
		removal, err := x.othersSuffice(ctx, audience, victims[:n], horizon)
		if err != nil {
			return err
		}
		for _, v := range victims[:n] {
			if err := tx.Delete(v.Ref, firestore.LastUpdateTime(v.Updated)); err != nil {
				return err
			}
			for _, i := range indexes {
				if i == schema.FirstIndex {
					continue
				}
				if err := tx.Delete(x.db.Relation(v.Post, i)); err != nil {
					return err
				}
			}
		}
		if removal {
			return x.kept.TellRemoval(tx, audience)
		}
		return nil
	})
	switch {
	case store.IsStale(err):
		err = store.ErrStale
	case store.IsRejected(err): // the others are larger
		err = work.ErrTooMuch
	}
	return n, err
}

// evictable returns the ids of an audience's index documents. That is true at the commit, and
// so is that nobody else removes a kept post between it and the commit.
func (x *Delivery) evictable(tx *firestore.Transaction, audience string, horizon int) ([]string, error) {
	snaps, err := tx.GetAll([]*firestore.DocumentRef{x.db.User(audience), schema.HorizonDocument(x.db.Client), x.db.Removal(audience)})
	if err != nil {
		return nil, err
	}
	now, err := schema.DecodeHorizon(snaps[1])
	if err != nil {
		return nil, err
	}
	if now.Kept == 0 || now.Kept > horizon {
		return nil, errMayNotEvict
	}
	dir := followers.ReadDirectory(snaps[0])
	if len(dir.IDs) == 0 {
		return nil, errMayNotEvict // damaged, which others repair, or purged
	}
	next, err := store.GetMaybe(tx, x.db.IndexDocuments(audience).Doc(schema.IndexID(len(dir.IDs)+1)))
	if err == nil && next.Exists() {
		err = errMayNotEvict
	}
	return dir.IDs, err
}

// othersSuffice returns errMayNotEvict unless enough kept posts are as new as the newest of
// victims, which are sorted. It counts newer ones first: of these, no other eviction removes
// any. Where they do not suffice, it counts those of the same time too. Other evictions may
// remove some of these; so this one is a removal to tell of.
func (x *Delivery) othersSuffice(ctx context.Context, audience string, victims []plan.Relation, horizon int) (removal bool, err error) {
	newest := victims[len(victims)-1].CreatedAt()
	enough, err := x.kept.Enough(ctx, audience, ">", newest, horizon)
	if err != nil || enough {
		return false, err
	}
	among := 0
	for _, v := range victims {
		if v.CreatedAt().Equal(newest) {
			among++
		}
	}
	enough, err = x.kept.Enough(ctx, audience, ">=", newest, horizon+among)
	if err == nil && !enough {
		err = errMayNotEvict
	}
	return true, err
}

// evictByJob deletes the post's marker, and enqueues the job that deletes the others, at
// once: all lanes of the job find the marker gone.
func (x *Delivery) evictByJob(ctx context.Context, v plan.Relation) error {
	job, err := x.postJob(ctx, v.Post, v.UserID, "evict "+strconv.FormatInt(time.Now().UnixNano(), 10), nil, []plan.Relation{v})
	if err != nil {
		return err
	}
	return x.dropMarker(ctx, v.Post, func(tx *firestore.Transaction) error { return x.engine.EnqueueIn(tx, job) })
}

// evictAlone does what the job of evictByJob does.
//
// A crash after the marker is gone leaves relations of a post that is not kept: verify
// reports them, and repair deletes them.
func (x *Delivery) evictAlone(ctx context.Context, v plan.Relation) error {
	if err := x.dropMarker(ctx, v.Post, func(*firestore.Transaction) error { return nil }); err != nil {
		return err
	}
	return x.withoutJob(ctx, map[string]string{schema.ArgPost: v.Post}, x.pagePost)
}

// dropMarker deletes the marker of post p, or returns errMayNotEvict if its audience does
// not keep enough others. In the same transaction, before it writes, it calls also. It costs
// a read if the post is not kept.
func (x *Delivery) dropMarker(ctx context.Context, p string, also func(*firestore.Transaction) error) error {
	horizon, err := x.horizon(ctx)
	if err != nil || horizon == 0 {
		return err
	}
	return x.db.Client.RunTransaction(kept.WithoutArrays(ctx), func(ctx context.Context, tx *firestore.Transaction) error {
		snap, err := store.GetMaybe(tx, x.kept.Marker(p))
		if err != nil || !snap.Exists() {
			return err
		}
		fields := schema.FieldsOf(snap, schema.FieldAudience, schema.FieldCreatedAt)
		audience, _ := fields[schema.FieldAudience].(string)
		if audience == "" {
			return nil // of an earlier release
		}
		if _, err := x.evictable(tx, audience, horizon); err != nil {
			return err
		}
		removal, err := x.othersSuffice(ctx, audience, []plan.Relation{{Fields: fields}}, horizon)
		if err != nil {
			return err
		}
		if err := also(tx); err != nil {
			return err
		}
		if removal {
			if err := x.kept.TellRemoval(tx, audience); err != nil {
				return err
			}
		}
		return tx.Delete(snap.Ref)
	})
}
