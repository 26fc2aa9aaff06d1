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
	"example.com/relationindex/testkit/oracle"
)

// Inline is the largest number of documents that a delivery under test writes in a handler. It leaves
// more to a job, so that small stories cover both.
const Inline = 2

// Suite describes a delivery to the suite.
type Suite struct {
	// Open starts the delivery in a process. The suite calls it several times for one database: a dead
	// process has a successor, and two processes may run at once.
	Open func(t *testing.T, p Process) System
	// Collections are the ids of the delivery's own collections, beside [testkit.AllCollections].
	Collections []string
	// Decides means that readers decide about their feeds: the system has Decisions, and leaves a reader
	// out after Idle. Ranks means that comments lift posts as well: the system has Comment.
	Decides, Ranks bool
	// Groups means that a post to a group that the reader follows is in the feed even if it names the reader, who blocks
	// its author. Keeps means that posts which a follow has brought may stay after the follow, but not after a block.
	Groups, Keeps bool
	// Kin names the stories, and the late events of races, at which this form of a delivery differs from
	// another one that the suite runs on, with Firestore calls at the same places in the code. Of all other
	// stories, this form has the events come once. Of all other races, it has none. nil: all in each way.
	Kin []string
	// Indexes is the firestore.indexes.json that the delivery needs; nil: the project's.
	Indexes []byte
}

// Process has the parts of its process that a delivery uses.
type Process struct {
	// Client is subject to the case: its calls are counted, held or lost.
	Client *firestore.Client
	// Engine has no tasks yet. The suite runs the engine's jobs, in pages of two documents.
	Engine *chunker.Engine
	Logger *slog.Logger
}

// System is a delivery in one process, and a reader's view of it.
type System struct {
	Graph    *followers.Graph // the delivery is added to it
	Accounts *accounts.Lifecycle
	// Feed returns all posts of the reader, newest first. If the reader follows a post's audience and is
	// in its `to`, the post comes once, as in package feed.
	Feed func(ctx context.Context, reader string) ([]Seen, error)
	// Decisions handles what readers write about their feed. Comment handles a comment.
	Decisions interface {
		Decided(ctx context.Context, reader string, hides, shows bool) error
		Hide(ctx context.Context, reader, post string) error
	}
	Comment func(ctx context.Context, post, comment string) error
	// Block handles a block that began or ended at a time. The suite delivers the events of the follows that Block deletes.
	Block func(ctx context.Context, account, other string, at time.Time, begins bool) error
	// Total returns the number of the reader's posts that the delivery stores; nil: it stores no total.
	Total func(ctx context.Context, reader string) (int, error)
	// Verify returns the faults in the delivery's own documents; nil: the suite checks feeds and names
	// alone.
	Verify func(ctx context.Context) ([]string, error)
}

// Seen is a post in a reader's feed. Clients leave out hidden ones.
type Seen = oracle.Entry
