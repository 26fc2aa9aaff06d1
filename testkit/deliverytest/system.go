package deliverytest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/accounts"
	"example.com/relationindex/chunker"
	"example.com/relationindex/followers"
)

// Inline is the most documents that a delivery under test writes itself. It leaves more
// to a job, so that small stories meet both ways.
const Inline = 2

// Suite says how to test one delivery.
type Suite struct {
	// Open starts the delivery in a process. It is called several times for one database:
	// a process that dies has a successor, and two processes may run at once.
	Open func(t *testing.T, p Process) System
	// Collections are the ids of the collections that the delivery keeps documents in,
	// beside testkit.Collections.
	Collections []string
	// Decides says that readers decide what they get: it has Decisions, after Idle. Ranks says that
	// comments lift posts as well: it has Comment.
	Decides, Ranks bool
	// Kin says that the suite runs on another form of the delivery too, which calls Firestore at the same
	// places in the code. Then a way of several tries has one at every seventh point in this form.
	Kin bool
	// Indexes is the firestore.indexes.json that the delivery needs; nil: the project's.
	Indexes []byte
}

// Process is what a delivery gets of the process that it runs in.
type Process struct {
	// Client sees what the case does to the process: its calls are counted, held or lost.
	Client *firestore.Client
	// Engine has no tasks yet. The suite runs its jobs, in pages of two documents.
	Engine *chunker.Engine
	Logger *slog.Logger
}

// System is a delivery in one process, and what a reader sees of it.
type System struct {
	Graph    *followers.Graph // to which the delivery is added
	Accounts *accounts.Lifecycle
	// Feed returns all posts that the reader has, newest first. A post comes
	// once to a reader who follows its audience and is in its `to`, as in package feed.
	Feed func(ctx context.Context, reader string) ([]Seen, error)
	// Decisions handles what readers write about their feed, and Comment a comment.
	Decisions interface {
		Decided(ctx context.Context, reader string, hides, shows bool) error
		Hide(ctx context.Context, reader, post string) error
	}
	Comment func(ctx context.Context, post, comment string) error
	// Total returns the number of posts that the reader has, as the delivery stores it;
	// nil: it does not.
	Total func(ctx context.Context, reader string) (int, error)
	// Verify returns what is wrong with the delivery's own documents; nil: the suite looks
	// at feeds and names alone.
	Verify func(ctx context.Context) ([]string, error)
}

// Seen is a post in a reader's feed.
type Seen struct {
	Post   string
	At     time.Time // where it stands
	Bucket int64     // of feeds in buckets, each of which is in order: the number of its bucket
	Hidden bool      // the reader hides it: it is marked, and clients leave it out
}
