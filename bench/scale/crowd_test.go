package scale

import (
	"context"
	"fmt"
	"hash/fnv"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
)

// capacity is the number of followers in each index document: the most there may be.
const capacity = 10_000

// crowd is an author with full index documents, loaded as so many follows would
// have left them.
type crowd struct {
	client    *firestore.Client
	author    string
	documents int
	first     int // of its followers
}

// followerID is the n-th follower's id, as long as a Firebase user's: 28 characters.
func followerID(n int) string { return fmt.Sprintf("follower%020d", n) }

// followers are those of the n-th index document, from 0.
func (c crowd) followers(n int) []any {
	ids := make([]any, capacity)
	for f := range ids {
		ids[f] = followerID(c.first + n*capacity + f)
	}
	return ids
}

// indexID is the id of the n-th index document, from 0.
func indexID(n int) string { return fmt.Sprintf("%05d", n+1) }

func (c crowd) document(n int) *firestore.DocumentRef {
	return c.client.Doc("users/" + c.author + "/followers_index/" + indexID(n))
}

// load writes the author's index documents and what names them.
func (c crowd) load(b *testing.B, parallel int) {
	b.Helper()
	ids := make([]string, c.documents)
	inParallel(b, c.documents, parallel, func(ctx context.Context, n int) error {
		ids[n] = indexID(n)
		_, err := c.document(n).Set(ctx, map[string]any{
			"followers": c.followers(n), "count": capacity, "sizeBytes": capacity * len(followerID(0)+"."),
			"version": 1, "changes": []any{}, "backfilled": true,
		})
		return err
	})
	_, err := c.client.Doc("users/"+c.author).Set(b.Context(), map[string]any{
		"displayName": c.author, "followers_index": ids, "latestFollowersIndex": ids[len(ids)-1],
	})
	must(b, err)
}

// plain is the plain loop: the least that must be done, with so much of it at a
// time. Its copies are in a collection of their own.
type plain struct {
	crowd
	parallel int
}

func (p plain) copy(n int) *firestore.DocumentRef {
	return p.client.Doc("plain/post_" + indexID(n))
}

// times are how long three things took.
type times struct{ post, edit, drop time.Duration }

// run reads each index document and writes a copy of it beside the post's time,
// updates a field of each copy, and deletes each.
func (p plain) run(b *testing.B) (t times) {
	b.Helper()
	t.post = timed(func() {
		inParallel(b, p.documents, p.parallel, func(ctx context.Context, n int) error {
			doc, err := p.document(n).Get(ctx)
			if err != nil {
				return err
			}
			data := doc.Data()
			_, err = p.copy(n).Set(ctx, map[string]any{
				"postId": "post", "userId": p.author, "audience": p.author, "indexId": doc.Ref.ID, "indexVersion": data["version"],
				"followers": data["followers"], "sizeBytes": data["sizeBytes"], "createdAt": time.Now(), "text": "first",
			})
			return err
		})
	})
	t.edit = timed(func() {
		inParallel(b, p.documents, p.parallel, func(ctx context.Context, n int) error {
			_, err := p.copy(n).Update(ctx, []firestore.Update{{Path: "text", Value: "second"}})
			return err
		})
	})
	t.drop = timed(func() {
		inParallel(b, p.documents, p.parallel, func(ctx context.Context, n int) error {
			_, err := p.copy(n).Delete(ctx)
			return err
		})
	})
	return t
}

// check compares every relation of a post with the followers that were loaded:
// none is missing, none is there twice, and there are no others.
func (c crowd) check(b *testing.B, post, text string, parallel int) {
	b.Helper()
	relations := c.client.Collection("_relations")
	names, err := relations.Where("userId", "==", c.author).Select().Documents(b.Context()).GetAll()
	must(b, err)
	if len(names) != c.documents {
		b.Fatalf("%s has %d relations, want %d", post, len(names), c.documents)
	}
	inParallel(b, c.documents, parallel, func(ctx context.Context, n int) error {
		doc, err := relations.Doc(post + "_" + indexID(n)).Get(ctx)
		if err != nil {
			return err
		}
		data := doc.Data()
		ids, _ := data["followers"].([]any)
		if digest(ids) != digest(c.followers(n)) || data["indexVersion"] != int64(1) || data["text"] != text {
			return fmt.Errorf("%s is not a copy of index document %s with text %q", doc.Ref.Path, indexID(n), text)
		}
		return nil
	})
}

// digest is the same for the same ids in the same order.
func digest(ids []any) uint64 {
	h := fnv.New64a()
	for _, id := range ids {
		fmt.Fprintln(h, id)
	}
	return h.Sum64()
}

// inParallel calls do with 0 to n-1.
func inParallel(b *testing.B, n, parallel int, do func(ctx context.Context, n int) error) {
	b.Helper()
	group, ctx := errgroup.WithContext(b.Context())
	group.SetLimit(parallel)
	for i := range n {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return do(ctx, i)
		})
	}
	must(b, group.Wait())
}

func timed(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
