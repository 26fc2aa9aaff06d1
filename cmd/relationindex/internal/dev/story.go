package dev

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"cloud.google.com/go/firestore/apiv1/firestorepb"
)

// step is a part of the demo's story: writes of clients, and a reader's feed after
// these writes.
type step struct {
	say    string
	writes []func(context.Context, *demo) error
	reader string
	feed   []string // ids of posts, newest first
}

type writes = []func(context.Context, *demo) error

var story = []step{
	{
		say:    "bob, carol and dave follow alice",
		writes: writes{follow("bob", "alice"), follow("carol", "alice"), follow("dave", "alice")},
		reader: "bob",
	},
	{
		say:    "alice posts: one relation carries the post to all three",
		writes: writes{post("p1", "alice", 9, "Good morning")},
		reader: "bob", feed: []string{"p1"},
	},
	{
		say:    "erin and frank follow alice: a second index document opens, with her earlier post",
		writes: writes{follow("erin", "alice"), follow("frank", "alice")},
		reader: "frank", feed: []string{"p1"},
	},
	{
		say:    "bob follows grace, and grace posts",
		writes: writes{follow("bob", "grace"), post("p2", "grace", 10, "Coffee, anyone?")},
		reader: "bob", feed: []string{"p2", "p1"},
	},
	{
		say:    "alice posts again: two index documents, two relations, five readers",
		writes: writes{post("p3", "alice", 11, "Lunch at noon?")},
		reader: "bob", feed: []string{"p3", "p2", "p1"},
	},
	{
		say:    "alice edits her first post",
		writes: writes{edit("p1", "text", "Good morning, everyone")},
		reader: "bob", feed: []string{"p3", "p2", "p1"},
	},
	{
		say:    "bob unfollows grace",
		writes: writes{unfollow("bob", "grace")},
		reader: "bob", feed: []string{"p3", "p1"},
	},
	{
		say:    "alice deletes her second post",
		writes: writes{remove("p3")},
		reader: "bob", feed: []string{"p1"},
	},
	{
		say:    "grace's post changes hands: it is alice's now",
		writes: writes{edit("p2", "userId", "alice")},
		reader: "bob", feed: []string{"p2", "p1"},
	},
}

// The rules allow a client all these writes, except the change of a post's author, which
// needs a server.

func follow(follower, author string) func(context.Context, *demo) error {
	return func(ctx context.Context, d *demo) error {
		return ok(d.follower(follower, author).Create(ctx, map[string]any{"createdAt": firestore.ServerTimestamp}))
	}
}

func unfollow(follower, author string) func(context.Context, *demo) error {
	return func(ctx context.Context, d *demo) error { return ok(d.follower(follower, author).Delete(ctx)) }
}

func (d *demo) follower(follower, author string) *firestore.DocumentRef {
	return d.system.Client().Collection(d.names.Users).Doc(author).Collection(d.names.Followers).Doc(follower)
}

func (d *demo) post(id string) *firestore.DocumentRef {
	return d.system.Client().Collection(d.names.Posts).Doc(id)
}

// post posts at an hour of the story's day.
func post(id, author string, hour int, text string) func(context.Context, *demo) error {
	at := time.Date(2026, 5, 1, hour, 0, 0, 0, time.UTC)
	return func(ctx context.Context, d *demo) error {
		return ok(d.post(id).Create(ctx, map[string]any{"userId": author, "createdAt": at, "text": text}))
	}
}

func edit(id, field, value string) func(context.Context, *demo) error {
	return func(ctx context.Context, d *demo) error {
		return ok(d.post(id).Update(ctx, []firestore.Update{{Path: field, Value: value}}))
	}
}

func remove(id string) func(context.Context, *demo) error {
	return func(ctx context.Context, d *demo) error { return ok(d.post(id).Delete(ctx)) }
}

func ok(_ *firestore.WriteResult, err error) error { return err }

// count returns the number of documents that a query finds.
func count(ctx context.Context, q firestore.Query) (int, error) {
	result, err := q.NewAggregationQuery().WithCount("n").Get(ctx)
	if err != nil {
		return 0, fmt.Errorf("count documents: %w", err)
	}
	n, ok := result["n"].(*firestorepb.Value)
	if !ok {
		return 0, fmt.Errorf("count documents: the answer is %v", result)
	}
	return int(n.GetIntegerValue()), nil
}
