package sending

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
)

const (
	// MaxReaders is the most readers in one call of a delivery. The transaction then has room for two writes for each
	// reader.
	MaxReaders = 200

	// maxLooked is the most readers that a transaction checks to find MaxReaders.
	maxLooked = 500

	// bringTimeout is the most time of a delivery's call: follows of the audience wait for the transaction.
	bringTimeout = 30 * time.Second

	// settingsAtOnce is the number of settings documents read at once: each may have 120 KB.
	settingsAtOnce = 50
)

// hidden is the generation of the job of a post that was found hidden: when it is shown, its
// event brings another generation.
const hidden = "hidden"

// found is the result of a transaction.
type found struct {
	gone   bool // the post is gone
	hidden bool // the post is hidden, or has no readers
	looked int  // number of readers that the transaction has decided about
}

// bring brings a post, in a transaction, to the readers that choose returns and that accept the post. It decides about
// readers in order, until MaxReaders accept.
//
// It costs two reads, and the cost of the delivery's Bring. With settings, it also costs what readers.In costs for each
// 50 readers, and a read for each reader whom the post names. The first read locks the job: only the step that has its
// lease commits. So no other step brings the post meanwhile to a reader for whom the delivery has found nothing.
//
// After a crash right after the commit, the page is repeated. The delivery finds the readers who have the post.
func (x *Delivery) bring(ctx context.Context, job chunker.Job, w *way, choose func(*firestore.Transaction, posts.Post) ([]string, error)) (f found, err error) {
	p := job.Args[schema.ArgPost]
	var theirs atomic.Bool // true during the reads of the delivery, which gets whole documents
	masked := wire.Unmasked(readers.Only(posts.Only(ctx, x.db)), theirs.Load)
	err = work.UntilSettled(ctx, func() (stale int, err error) {
		err = x.db.Client.RunTransaction(masked, func(ctx context.Context, tx *firestore.Transaction) error {
			f = found{}
			theirs.Store(false)
			if err := x.engine.HeldIn(tx, job); err != nil {
				return err
			}
			snap, err := store.GetMaybe(tx, x.db.Post(p))
			if err != nil || !snap.Exists() {
				f.gone = err == nil
				return err
			}
			post, err := posts.Decode(x.db.Config, snap)
			if err != nil || !reaches(post) {
				// All later pages of the run, and of one more run, find the same. Then the job is done.
				f.hidden = true
				return x.engine.EnqueueIn(tx, chunker.Spec{ID: job.ID, Kind: job.Kind, Generation: hidden, Args: job.Args})
			}
			some, err := choose(tx, post)
			if err != nil {
				return err
			}
			want, err := x.wanting(tx, post, some, &f)
			if err != nil || len(want) == 0 {
				return err
			}
			theirs.Store(true)
			ctx, cancel := context.WithTimeout(ctx, bringTimeout)
			defer cancel()
			return w.Bring(ctx, x.db.Client, tx, newPost(post), want)
		})
		if status.Code(err) == codes.Aborted { // a follow, or an edit of the post
			return 1, nil
		}
		return 0, err
	})
	return f, err
}

func newPost(post posts.Post) schema.NewPost {
	return schema.NewPost{ID: post.ID, Author: post.Author, Audience: post.Audience, Kind: post.Kind, Refs: post.Refs, Created: post.CreatedAt()}
}

// wanting returns the first readers of some who accept a post, at most MaxReaders. f counts the readers that wanting
// has decided about.
func (x *Delivery) wanting(tx *firestore.Transaction, post posts.Post, some []string, f *found) (want []string, err error) {
	for part := range slices.Chunk(some, settingsAtOnce) {
		if len(want) == MaxReaders {
			break
		}
		decided, err := readers.In(tx, x.db, post.ID, part)
		if err != nil {
			return nil, err
		}
		blocked, err := x.blocked(tx, post, part)
		if err != nil {
			return nil, err
		}
		for _, r := range part {
			if len(want) == MaxReaders {
				break
			}
			f.looked++
			if d := decided[r]; r != post.Author && !blocked[r] && d.Wants(post.Author, post.Kind) && !d.HidesPost {
				want = append(want, r)
			}
		}
	}
	return want, nil
}

// blocked returns the readers of some whom the post names and who block its author. Other readers follow the author or
// a group.
func (x *Delivery) blocked(tx *firestore.Transaction, post posts.Post, some []string) (map[string]bool, error) {
	named := slices.DeleteFunc(slices.Clone(some), func(r string) bool { return !slices.Contains(post.Recipients, r) })
	if len(named) == 0 {
		return nil, nil //nolint:nilnil // nobody
	}
	refs := make([]*firestore.DocumentRef, len(named))
	for n, r := range named {
		refs[n] = x.db.Block(r, post.Author)
	}
	docs, err := tx.GetAll(refs)
	if err != nil {
		return nil, err
	}
	blocked := map[string]bool{}
	for n, doc := range docs {
		blocked[named[n]] = doc.Exists()
	}
	return blocked, nil
}
