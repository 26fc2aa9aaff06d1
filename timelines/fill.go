package timelines

import (
	"cmp"
	"context"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// MaxFill is the most posts that [Delivery.Fill] brings to a reader.
const MaxFill = 1000

// Fill brings existing posts to a reader who follows audiences: the newest of all of these
// and of those that name the reader, at most limit, oldest first. It is for timelines that
// are turned on over existing data. What is there stays where it is.
//
// It costs the reads of limit posts for each audience, and those and the writes of a
// backfill. A crash leaves the newest posts missing; the next call finds the others.
func (x *Delivery) Fill(ctx context.Context, reader string, audiences []string, limit int) (n int, err error) {
	due, err := x.due(ctx, reader, audiences, limit)
	if err != nil {
		return 0, err
	}
	for len(due) > 0 {
		run := 1
		for run < min(len(due), backfillBatch) && due[run].audience == due[0].audience {
			run++
		}
		ids := make([]string, run)
		for i := range ids {
			ids[i] = due[i].id
		}
		err := work.UntilSettled(ctx, func() (int, error) {
			if due[0].audience != "" {
				return 0, x.backfill(ctx, due[0].audience, reader, ids)
			}
			for _, p := range ids {
				if err := x.recipients(ctx, p); err != nil {
					return 0, err
				}
			}
			return 0, nil
		})
		if err != nil {
			return n, err
		}
		n, due = n+run, due[run:]
	}
	return n, nil
}

// duePost is a post that a timeline should have.
type duePost struct {
	id, audience string // "": the post names the reader
	at           time.Time
}

// due returns the newest posts that reach a reader, oldest first, at most limit.
func (x *Delivery) due(ctx context.Context, reader string, audiences []string, limit int) (all []duePost, err error) {
	add := func(audience string, found []posts.Post) {
		for _, p := range found {
			all = append(all, duePost{p.ID, audience, p.CreatedAt()})
		}
	}
	for _, a := range audiences {
		if schema.CheckFollow(a, reader) != nil {
			continue
		}
		newest, err := posts.Newest(ctx, nil, x.db, a, limit)
		if err != nil {
			return nil, err
		}
		add(a, newest)
	}
	if x.db.Options.OwnPosts {
		own, err := posts.Newest(ctx, nil, x.db, reader, limit)
		if err != nil {
			return nil, err
		}
		add("", own)
	}
	q := x.db.Client.Collection(x.db.Options.Collections.Posts).Where(schema.FieldTo, "array-contains", reader).
		OrderBy(schema.FieldCreatedAt, firestore.Desc).Select(names.PostFields()...).Limit(limit)
	for snap, err := range store.Documents(ctx, q) {
		if err != nil {
			return nil, err
		}
		if post, err := posts.Decode(x.db.Options, snap); err == nil && slices.Contains(post.Recipients, reader) {
			add("", []posts.Post{post})
		}
	}
	slices.SortFunc(all, func(a, b duePost) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.id, b.id)) })
	return all[max(0, len(all)-limit):], nil
}
