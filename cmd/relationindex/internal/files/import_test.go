package files_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/relationindex/cmd/relationindex/internal/files/rows"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/cmd/relationindex/internal/files"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/testkit"
)

func documents(t *testing.T, c *firestore.Client) int {
	t.Helper()
	docs, err := c.CollectionGroup("followers").Documents(t.Context()).GetAll()
	if err != nil {
		t.Fatal(err)
	}
	return len(docs)
}

func TestWriteCountsEveryRow(t *testing.T) {
	c := testkit.Open(t, testkit.ProjectID(t))
	var malformed []string
	var done atomic.Int64
	text := "bob alice\nbad\nbob alice\ncarol alice\nx x\n"
	summary, err := files.Import(t.Context(), c, followsOf(t, text), files.ImportOptions{
		Malformed: func(bad *rows.RowError) { malformed = append(malformed, bad.Error()) },
		Progress:  func(n int64) { done.Store(max(n, done.Load())) },
	})
	if err != nil {
		t.Fatal(err)
	}
	want := files.Imported{Imported: 2, Skipped: 2, Malformed: 1, SelfFollows: 1, Found: 1}
	if diff := cmp.Diff(want, summary); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if summary.String() != "imported 2, 1 were there already, skipped 2 (1 malformed, 1 self-follows)" {
		t.Errorf("as text it is %q", summary)
	}
	if n := documents(t, c); n != 2 {
		t.Errorf("%d documents, want 2", n)
	}
	if len(malformed) != 1 || done.Load() != 5 {
		t.Errorf("malformed %q, progress to %d; want 1 line, and 5 rows", malformed, done.Load())
	}
}

// An existing post with other field names is not overwritten, and does not count as imported. An edited
// post counts as imported.
func TestWriteSkipsPostsOfAnotherShape(t *testing.T) {
	c := testkit.Open(t, testkit.ProjectID(t))
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for path, fields := range map[string]map[string]any{
		"posts/other":  {"authorId": "ada", "created": at},
		"posts/text":   {"userId": "ada", "createdAt": "yesterday"},
		"posts/edited": {"userId": "bob", "createdAt": at, "text": "edited"},
	} {
		if _, err := c.Doc(path).Set(t.Context(), fields); err != nil {
			t.Fatal(err)
		}
	}
	in := strings.NewReader("other,ada,1341100972\ntext,ada,1341100972\nedited,ada,1341100972\nnew,ada,1341100972\n")
	kind := files.Posts(names.Collections{})
	posts := kind.Documents(rows.Rows("posts.csv", in, columnsOf(t, kind, "id=1,author=2,createdAt=3")))
	var told []string
	summary, err := files.Import(t.Context(), c, posts, files.ImportOptions{Malformed: func(bad *rows.RowError) { told = append(told, bad.Error()) }})
	if diff := cmp.Diff(files.Imported{Imported: 1, Skipped: 2, Others: 2, Found: 1}, summary); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if want := "imported 1, 1 were there already, skipped 2 (0 malformed, 0 self-follows, 2 are something else already)"; summary.String() != want {
		t.Errorf("as text it is %q", summary)
	}
	slices.Sort(told)
	want := []string{
		"posts.csv:1: posts/other exists without userId and createdAt, and stays unchanged",
		"posts.csv:2: posts/text exists without createdAt, and stays unchanged",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if doc, err := c.Doc("posts/other").Get(t.Context()); err != nil || len(doc.Data()) != 2 {
		t.Errorf("posts/other is %v, %v", doc.Data(), err)
	}
}

func TestWriteStopsAtItsLimit(t *testing.T) {
	c := testkit.Open(t, testkit.ProjectID(t))
	var text strings.Builder
	for n := range 500 {
		text.WriteString("reader" + strconv.Itoa(n) + " alice\n")
	}
	for _, limit := range []int64{120, 500, 0} {
		summary, err := files.Import(t.Context(), c, followsOf(t, text.String()), files.ImportOptions{Limit: limit})
		if limit == 0 {
			limit = 500
		}
		if err != nil || summary.Imported+summary.Found != limit || documents(t, c) != int(limit) {
			t.Errorf("%v, %v, %d documents; want %d imported", summary, err, documents(t, c), limit)
		}
	}
}

// failCommits fails commits before or after the server has done them.
func failCommits(fail func() (before, after error)) wire.Interceptor {
	return wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if _, ok := req.(*pb.CommitRequest); !ok {
			return invoke(ctx, method, req, reply, cc, opts...)
		}
		before, after := fail()
		if before != nil {
			return before
		}
		return errors.Join(invoke(ctx, method, req, reply, cc, opts...), after)
	}}
}

func TestWriteRetries(t *testing.T) {
	var commits atomic.Int64
	c := testkit.Open(t, testkit.ProjectID(t), failCommits(func() (before, after error) {
		switch commits.Add(1) {
		case 1:
			return status.Error(codes.DeadlineExceeded, "a test"), nil
		case 3: // done, but nobody hears of it
			return nil, status.Error(codes.Internal, "a test")
		default:
			return nil, nil
		}
	}))
	summary, err := files.Import(t.Context(), c, followsOf(t, "bob alice\ncarol alice\n"), files.ImportOptions{Parallel: 1})
	if err != nil || summary.Imported+summary.Found != 2 || documents(t, c) != 2 {
		t.Errorf("%v, %v, %d documents; want 2", summary, err, documents(t, c))
	}
}

func TestWriteStopsOnPermanentError(t *testing.T) {
	var commits atomic.Int64
	c := testkit.Open(t, testkit.ProjectID(t), failCommits(func() (before, after error) {
		if commits.Add(1) == 3 {
			return status.Error(codes.PermissionDenied, "a test"), nil
		}
		return nil, nil
	}))
	summary, err := files.Import(t.Context(), c, followsOf(t, "a z\nb z\nc z\nd z\n"), files.ImportOptions{Parallel: 1})
	if status.Code(err) != codes.PermissionDenied || !strings.Contains(err.Error(), "users/z/followers/c (line 3 of graph.txt)") {
		t.Errorf("Write: %v", err)
	}
	if n := documents(t, c); summary.Imported != int64(n) || n < 2 {
		t.Errorf("%v, and there are %d documents", summary, n)
	}
}

func TestWriteEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	c := testkit.Open(t, testkit.ProjectID(t), failCommits(func() (before, after error) {
		cancel(stop)
		return nil, nil
	}))
	if _, err := files.Import(ctx, c, followsOf(t, strings.Repeat("a z\nb z\nc z\nd z\n", 100)), files.ImportOptions{Parallel: 2}); !errors.Is(err, stop) {
		t.Errorf("Write: %v, want the cause", err)
	}
}
