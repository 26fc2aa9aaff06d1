//go:build long

package delivery

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/followers"
	"example.com/relationindex/posts"
	"example.com/relationindex/testkit/deliverytest"
)

// trivial is a second, trivial delivery: fan-out on write. Each reader has a document of
// their own for each post:
//
//	users/{reader}/entries/{post}  post, author, audience ("": the post names the reader), at
//
// Every page of work is one transaction, which reads what it decides by: the post, and the
// follower documents of the readers. So a follow or a post that changes before the
// commit makes it run again, and one that changes later has an event of its own.
type trivial struct {
	client *firestore.Client
	graph  *followers.Graph
	broken fault
}

// fault is what a broken variant does wrong.
type fault int

const (
	sound           fault = iota
	forgetsBackfill       // a follow brings no posts
	removesBlindly        // an unfollow does not read again whether the reader follows
	readsOnce             // a fan-out does not read again whether the post is there
	dropsReads            // a failed read counts as an empty answer
	forgetsAuthors        // a deleted account stays in the feeds of others
	forgetsNames          // a block, and its end, leave the posts that name the blocker as they are
	forgetsFollow         // a block does not end follows
	ignoresBlocks         // a post comes to the readers whom it names, whom they block
	keepsAudience         // an edit of the audience leaves the post in feeds of the one before
)

var _ followers.Delivery = (*trivial)(nil)

// The kinds of jobs and the names of their arguments.
const (
	kindFollow = "entries.follow"
	kindPost   = "entries.post"

	argAudience = "audience"
	argReader   = "reader"
	argPost     = "post"
)

// Tasks is a part of followers.Delivery.
func (d *trivial) Tasks() []chunker.Task {
	return []chunker.Task{
		{Kind: kindFollow, Phases: []chunker.Phase{{Name: "backfill", Page: d.pageBackfill}, {Name: "removal", Page: d.pageUnfollow}}},
		{Kind: kindPost, Phases: []chunker.Phase{{Name: "direct", Page: d.pageDirect}, {Name: "fan-out", Page: d.pageFanout}, {Name: "removal", Page: d.pageRetract}}},
	}
}

// Followed is a part of followers.Delivery. It reads again whether the follower follows.
func (d *trivial) Followed(ctx context.Context, c followers.Change) error {
	hash := sha256.Sum256([]byte(c.Author + "/" + c.Follower)) // the job stays, when the accounts are gone
	err := d.now(ctx, d.follower(c.Author, c.Follower), chunker.Spec{
		ID: "follow:" + hex.EncodeToString(hash[:]), Kind: kindFollow,
		Args: map[string]string{argAudience: c.Author, argReader: c.Follower}, Private: true,
	}, d.pageBackfill, d.pageUnfollow)
	if err != nil {
		return err
	}
	// It needs no change log, which names those who left. A crash here leaves the event.
	for _, i := range c.Indexes {
		index, err := d.graph.ReadMeta(ctx, c.Author, i)
		if err == nil && index != nil {
			err = d.graph.EmptyChangeLog(ctx, c.Author, i, *index)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Post is a part of followers.Delivery.
func (d *trivial) Post(ctx context.Context, post string) error {
	pages := []chunker.PageFunc{d.pageDirect, d.pageFanout, d.pageRetract}
	if d.broken == readsOnce {
		docs, err := d.client.GetAll(ctx, []*firestore.DocumentRef{d.post(post)})
		if err != nil {
			return err
		}
		if pages = pages[2:]; docs[0].Exists() {
			pages = []chunker.PageFunc{d.pageFanout}
		}
	}
	return d.now(ctx, d.post(post), chunker.Spec{
		ID: "entries:" + post, Kind: kindPost, Args: map[string]string{argPost: post},
	}, pages...)
}

// Edited is a part of followers.Delivery.
func (d *trivial) Edited(ctx context.Context, post string) error { return d.Post(ctx, post) }

// Take is a part of followers.Delivery.
func (d *trivial) Take(ctx context.Context, post string, _ []string) error { return d.Post(ctx, post) }

// PostJob is a part of followers.Delivery.
func (d *trivial) PostJob(post string) string { return "entries:" + post }

// Forget is a part of followers.Delivery.
func (d *trivial) Forget() []followers.Forgotten {
	forgotten := []followers.Forgotten{
		{Name: "entriesOfOthers", Documents: func(account string) firestore.Query {
			return d.client.CollectionGroup("entries").WhereEntity(firestore.OrFilter{Filters: []firestore.EntityFilter{
				firestore.PropertyFilter{Path: "author", Operator: "==", Value: account},
				firestore.PropertyFilter{Path: "audience", Operator: "==", Value: account},
			}})
		}},
		{Name: "entries", Documents: func(account string) firestore.Query { return d.entriesOf(account).Query }},
	}
	if d.broken == forgetsAuthors {
		forgotten = forgotten[1:]
	}
	return forgotten
}

// block is a part of deliverytest.System. It delivers again the posts in which the other names the account.
func (d *trivial) block(ctx context.Context, account, other string, at time.Time, begins bool) error {
	if begins && d.broken != forgetsFollow {
		if err := d.graph.Block(ctx, account, other, at); err != nil {
			return err
		}
	}
	if d.broken == forgetsNames {
		return nil
	}
	listed, err := posts.Naming(d.graph.Database(), other, account, nil).Documents(ctx).GetAll()
	for _, post := range listed {
		err = errors.Join(err, d.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
			now, err := tx.GetAll([]*firestore.DocumentRef{post.Ref})
			if err != nil || !readersOf(now[0]).names(account) {
				return err
			}
			return d.write(tx, delivered{account, now[0]})
		}))
	}
	return err
}

// now does the pages of a job at once, or enqueues the job if there are many. Its
// generation is the state of the document that the event was about.
func (d *trivial) now(ctx context.Context, about *firestore.DocumentRef, spec chunker.Spec, pages ...chunker.PageFunc) error {
	for _, page := range pages {
		done, err := page(ctx, chunker.Job{Args: spec.Args}, nil, deliverytest.Inline+1)
		if err != nil {
			return err
		}
		if done.More {
			return d.enqueue(ctx, about, spec)
		}
	}
	return nil
}

func (d *trivial) enqueue(ctx context.Context, about *firestore.DocumentRef, spec chunker.Spec) error {
	docs, err := d.client.GetAll(ctx, []*firestore.DocumentRef{about})
	if err != nil {
		return err
	}
	spec.Generation = docs[0].UpdateTime.Format(time.RFC3339Nano)
	if !docs[0].Exists() { // two deletions must not look the same
		spec.Generation = "gone " + strconv.FormatInt(docs[0].ReadTime.UnixNano(), 10)
	}
	return d.graph.Engine().Enqueue(ctx, spec)
}
