package designs

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/wire"
	"example.com/relationindex/internal/testkit"
)

// Backfill is how many posts of an author fan-out on write copies to somebody
// who begins to follow: the newest ones. With fewer, a new follower's feed is
// emptier than it should be as soon as some of these are deleted; with more,
// each follow costs more. The tutorials copy none.
const Backfill = 100

// FanOutOnWrite is the usual tutorial: users/{reader}/feed/{post} is a copy of
// each post for each follower. A function would do what follows the client's own
// write; here it is done in the same call.
//
// What it leaves out, and a deployment needs: jobs for authors whose followers
// do not fit one function call, and an answer to a follow that comes while the
// author's post is being copied.
type FanOutOnWrite struct {
	client *firestore.Client
	meter  *wire.Meter
}

// NewFanOutOnWrite is the design on an empty database of the emulator at host.
func NewFanOutOnWrite(ctx context.Context, project, host string) (*FanOutOnWrite, error) {
	client, meter, err := metered(ctx, project, host)
	return &FanOutOnWrite{client, meter}, err
}

// Follow costs a write and, for the author's newest n posts, n reads (at least
// one) and n writes.
func (d *FanOutOnWrite) Follow(ctx context.Context, follower, author string) error {
	if _, err := d.follower(author, follower).Set(ctx, map[string]any{"createdAt": firestore.ServerTimestamp}); err != nil {
		return err
	}
	newest, err := readPosts(ctx, d.client.Collection(posts).Where("userId", "==", author).
		OrderBy("createdAt", firestore.Desc).Limit(Backfill))
	if err != nil {
		return err
	}
	return testkit.WriteEach(ctx, d.client, newest, func(w *firestore.BulkWriter, p Post) (*firestore.BulkWriterJob, error) {
		return w.Set(d.entry(follower, p.ID), p)
	})
}

// Unfollow costs a delete and, for n entries of the author in the feed, n reads
// (at least one) and n deletes.
func (d *FanOutOnWrite) Unfollow(ctx context.Context, follower, author string) error {
	if _, err := d.follower(author, follower).Delete(ctx); err != nil {
		return err
	}
	entries, err := d.client.Collection(users).Doc(follower).Collection(feed).
		Where("userId", "==", author).Select().Documents(ctx).GetAll()
	if err != nil {
		return err
	}
	return testkit.WriteEach(ctx, d.client, entries, func(w *firestore.BulkWriter, entry *firestore.DocumentSnapshot) (*firestore.BulkWriterJob, error) {
		return w.Delete(entry.Ref)
	})
}

// Post costs a write and, for f followers, f reads (at least one) and f writes.
func (d *FanOutOnWrite) Post(ctx context.Context, p Post) error {
	if _, err := d.client.Collection(posts).Doc(p.ID).Set(ctx, postData(p)); err != nil {
		return err
	}
	return d.eachFollower(ctx, p.Author, func(w *firestore.BulkWriter, follower string) (*firestore.BulkWriterJob, error) {
		return w.Set(d.entry(follower, p.ID), p)
	})
}

// Edit costs the same as Post. A follower from before the last Backfill posts
// gets an entry that the backfill left out.
func (d *FanOutOnWrite) Edit(ctx context.Context, p Post) error { return d.Post(ctx, p) }

// Delete costs a delete and, for f followers, f reads (at least one) and f deletes.
func (d *FanOutOnWrite) Delete(ctx context.Context, p Post) error {
	if _, err := d.client.Collection(posts).Doc(p.ID).Delete(ctx); err != nil {
		return err
	}
	return d.eachFollower(ctx, p.Author, func(w *firestore.BulkWriter, follower string) (*firestore.BulkWriterJob, error) {
		return w.Delete(d.entry(follower, p.ID))
	})
}

// Feed costs a read for each post (at least one).
func (d *FanOutOnWrite) Feed(ctx context.Context, reader string, limit int) ([]Post, error) {
	return readPosts(ctx, d.client.Collection(users).Doc(reader).Collection(feed).
		OrderBy("createdAt", firestore.Desc).Limit(limit))
}

// Settle has nothing to wait for.
func (d *FanOutOnWrite) Settle(context.Context) error { return nil }

// Counts is what has been billed so far.
func (d *FanOutOnWrite) Counts() wire.Counts { return d.meter.Counts() }

// followersPage is how many followers are listed, and their entries written,
// before the next are: it bounds the memory.
const followersPage = 5000

// eachFollower writes one entry for each follower of author.
func (d *FanOutOnWrite) eachFollower(ctx context.Context, author string, write func(w *firestore.BulkWriter, follower string) (*firestore.BulkWriterJob, error)) error {
	all := d.client.Collection(users).Doc(author).Collection(followers).
		OrderBy(firestore.DocumentID, firestore.Asc).Select()
	for q := all; ; {
		docs, err := q.Limit(followersPage).Documents(ctx).GetAll()
		if err != nil {
			return err
		}
		err = testkit.WriteEach(ctx, d.client, docs, func(w *firestore.BulkWriter, doc *firestore.DocumentSnapshot) (*firestore.BulkWriterJob, error) {
			return write(w, doc.Ref.ID)
		})
		if err != nil || len(docs) < followersPage {
			return err
		}
		q = all.StartAfter(docs[len(docs)-1])
	}
}

func (d *FanOutOnWrite) follower(author, follower string) *firestore.DocumentRef {
	return d.client.Collection(users).Doc(author).Collection(followers).Doc(follower)
}

func (d *FanOutOnWrite) entry(reader, post string) *firestore.DocumentRef {
	return d.client.Collection(users).Doc(reader).Collection(feed).Doc(post)
}
