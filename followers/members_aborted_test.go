//go:build long

package followers_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"

	"example.com/relationindex/internal/logging"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// Locks of a process that died abort more commits than the client library repeats: of members, and of a
// backfill. They are planned again: else the events of all followers of the batch would be delivered again.
func TestFollowIsRetriedAfterAbortedCommits(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]string{"members": "users/r1/following/author", "backfill": "_relations/"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
			a.Post("p1", "author", stories.Day)
			a.Settle()
			a.Silence()
			a.Follow("r1", "author")
			var aborted atomic.Int32
			matches := testkit.CommitOf(of)
			x := a.Instance(testkit.Failing(codes.Aborted, func(req any) bool {
				return matches(req) && aborted.Add(1) <= firestore.DefaultTransactionMaxAttempts
			}))
			if err := x.Graph.Follow(t.Context(), "author", "r1"); err != nil {
				t.Errorf("after %d aborted commits: %v", firestore.DefaultTransactionMaxAttempts, err)
			}
			if n := aborted.Load(); n <= firestore.DefaultTransactionMaxAttempts {
				t.Errorf("%d commits were tried", n)
			}
			a.WantVerified()
			a.WantFeed("r1", "p1")
		})
	}
}

// A members transaction lists the index documents while another process writes them and the user
// document. Its commit fails, and nothing was damaged.
func TestConcurrentUserDocumentWriteIsNotDamage(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
	a.Follow("r1", "author")
	a.Settle()
	a.Silence()
	const index = "users/author/followers_index/00001"
	before, err := a.Client.Doc(index).Get(t.Context())
	a.OK(err)
	a.Must(a.Client.Doc(index).Delete(t.Context()))
	a.Follow("r2", "author")

	held := testkit.NewGate(t, testkit.CommitOf("users/r2/following/author"))
	var log bytes.Buffer
	client := testkit.Open(t, a.ID, held.Interceptor())
	o := a.Config
	o.Logger = logging.New(&log, slog.LevelError)
	x, err := social.Open(client, o)
	a.OK(err)
	ended := make(chan error, 1)
	go func() { ended <- x.Graph.Follow(t.Context(), "author", "r2") }()
	held.Await() // it has listed no index documents, and would name none but its own
	a.Must(a.Client.Doc(index).Create(t.Context(), before.Data()))
	a.Must(a.Client.Doc("users/author").Set(t.Context(), map[string]any{"latestFollowersIndex": "00001"}, firestore.MergeAll))
	a.Must(a.Client.Doc("users/author").Set(t.Context(), map[string]any{"name": "x"}, firestore.MergeAll))
	held.Open()
	testkit.NoError(t, <-ended)
	a.WantVerified()
	if strings.Contains(log.String(), "user document damaged") {
		t.Errorf("it logs %s", log.String())
	}
}
