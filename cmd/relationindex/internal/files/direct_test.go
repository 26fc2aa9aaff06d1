package files_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/relationindex/cmd/relationindex/internal/files/rows"
	"example.com/relationindex/schema"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/cmd/relationindex/internal/files"
)

func TestDirectCountsEveryRow(t *testing.T) {
	t.Parallel()
	s := open(t, schema.Config{NoOwnPosts: true})
	var rows atomic.Int64
	text := "bob alice\nbad\nbob alice\ncarol alice\nx x\ndave " + strings.Repeat("u", 1500) + "\n"
	summary, err := files.Direct(t.Context(), s.Instance(), followsOf(t, text), files.ImportOptions{
		Progress: func(n int64) { rows.Store(max(n, rows.Load())) },
	})
	if diff := cmp.Diff(files.Imported{Imported: 3, Skipped: 3, Malformed: 2, SelfFollows: 1}, summary); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if rows.Load() != 6 {
		t.Errorf("progress to %d, want 6 rows", rows.Load())
	}
	s.wantVerified(2)
	if s.direct("bob alice\ncarol alice\ndave alice\n", 1, files.ImportOptions{Limit: 1}); s.Follows("dave", "alice") {
		t.Error("it went on after its limit")
	}
}

// A file that ends in an error is imported as far as it goes.
func TestDirectImportsReadableRows(t *testing.T) {
	t.Parallel()
	s := open(t, schema.Config{NoOwnPosts: true})
	broken := errors.New("broken")
	in := &failing{text: "bob alice\ncarol alice\ndave ali", err: broken}
	kind := files.Follows(s.Config.Collections())
	documents := kind.Documents(rows.Rows("graph.txt", in, columnsOf(t, kind, "follower=1,followed=2")))
	summary, err := files.Direct(t.Context(), s.Instance(), documents, files.ImportOptions{})
	if !errors.Is(err, broken) || summary.Imported != 2 {
		t.Errorf("%v, %v; want 2 imported and the error", summary, err)
	}
	s.wantVerified(2)
}

// followers are the rows of an author's followers by number.
func followers(from, to int, author string) string {
	var b strings.Builder
	for n := from; n < to; n++ {
		fmt.Fprintf(&b, "f%d %s\n", n, author)
	}
	return b.String()
}

// Reads and writes of an import, as the comment of load.Loader.Adopt says.
func TestCostOfDirect(t *testing.T) {
	t.Parallel()
	s := open(t, schema.Config{NoOwnPosts: true, Capacity: 1000})
	for _, step := range []struct {
		name          string
		text          string
		rows          int
		reads, writes int64
	}{
		// n = 100, k = 1, and one query for posts
		{"an author's first followers", followers(0, 100, "u"), 100, 3*100 + 1 + 4 + 1, 2*100 + 2 + 1},
		// n = 50, o = 1
		{"more of them", followers(100, 150, "u"), 50, 3*50 + 2 + 4 + 1, 2*50 + 1},
		{"nothing new", followers(0, 150, "u"), 150, 2*150 + 1 + 1 + 1, 0},
		// n = 700, k = 1, two further batches
		{"one new among them", followers(0, 151, "u"), 151, 2*151 + 1 + 2*151 + 2 + 1 + 1 + 3, 2 + 1},
		{"more than a batch", followers(0, 700, "v"), 700, 3*700 + 1 + 4 + 1 + 2*5, 2*700 + 2 + 1 + 2},
		// n = 10 and k = 1 for each of three authors, the query shared
		{"three authors", followers(0, 10, "x") + followers(0, 10, "y") + followers(0, 10, "z"), 30, 3*(3*10+1+4) + 1, 3 * (2*10 + 2 + 1)},
	} {
		used := s.direct(step.text, step.rows, files.ImportOptions{})
		if used.Reads != step.reads || used.Writes != step.writes || used.Deletes != 0 {
			t.Errorf("%s cost %v, want %d reads and %d writes", step.name, used, step.reads, step.writes)
		}
	}
	// With p posts, each new index document takes a relation for each, once.
	s.posts("w", 20)
	used := s.direct(followers(0, 700, "w"), 700, files.ImportOptions{})
	if want := int64(2*700 + 2 + 1 + 2 + 20); used.Writes != want {
		t.Errorf("700 followers of an author with 20 posts cost %v, want %d writes", used, want)
	}
	s.wantVerified(151 + 700 + 30 + 700)
}

func TestDirectRetries(t *testing.T) {
	t.Parallel()
	var commits atomic.Int64
	s := open(t, schema.Config{NoOwnPosts: true})
	s.direct("bob alice\ncarol alice\n", 2, files.ImportOptions{}, failCommits(func() (before, after error) {
		switch commits.Add(1) {
		case 1:
			return status.Error(codes.DeadlineExceeded, "a test"), nil
		case 3, 5: // done, but nobody hears of it
			return nil, status.Error(codes.Internal, "a test")
		default:
			return nil, nil
		}
	}))
	s.wantVerified(2)
}

// Only failed work is repeated.
func TestDirectRepeatsOnlyTheAuthorThatFailed(t *testing.T) {
	t.Parallel()
	var commits atomic.Int64
	var text strings.Builder
	for n := range 30 {
		fmt.Fprintf(&text, "f%d author%d\n", n/3, n%3)
	}
	s := open(t, schema.Config{NoOwnPosts: true})
	used := s.direct(text.String(), 30, files.ImportOptions{}, failCommits(func() (before, after error) {
		if commits.Add(1) == 2 {
			return status.Error(codes.DeadlineExceeded, "a test"), nil
		}
		return nil, nil
	}))
	if want := int64(3*(3*10+1+4) + 1 + 3*10 + 3); used.Reads != want {
		t.Errorf("it cost %v, want %d reads", used, want)
	}
	s.wantVerified(30)
}

func TestDirectStopsOnPermanentError(t *testing.T) {
	t.Parallel()
	var commits atomic.Int64
	s := open(t, schema.Config{NoOwnPosts: true})
	summary, err := files.Direct(t.Context(), s.Instance(failCommits(func() (before, after error) {
		if commits.Add(1) > 3 {
			return status.Error(codes.PermissionDenied, "a test"), nil
		}
		return nil, nil
	})), followsOf(t, "a x\nb y\nc z\nd z\n"), files.ImportOptions{Window: 1, Parallel: 1})
	if status.Code(err) != codes.PermissionDenied || !strings.Contains(err.Error(), "of y") || summary.Imported != 1 {
		t.Errorf("%v, %v; want 1 imported, and an error about y", summary, err)
	}
}

func TestDirectEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	s := open(t, schema.Config{NoOwnPosts: true})
	var text strings.Builder
	for author := range 50 {
		text.WriteString(followers(0, 10, fmt.Sprint("a", author)))
	}
	index := s.Instance(failCommits(func() (before, after error) {
		cancel(stop)
		return nil, nil
	}))
	if _, err := files.Direct(ctx, index, followsOf(t, text.String()), files.ImportOptions{Window: 1000}); !errors.Is(err, stop) {
		t.Errorf("Direct: %v, want the cause", err)
	}
	s.direct(text.String(), 500, files.ImportOptions{})
}

// Follower documents get one time, that of the import, and so do edges.
func TestDirectFollowsGetTimeOfImport(t *testing.T) {
	t.Parallel()
	s := open(t, schema.Config{NoOwnPosts: true})
	s.Follow("bob", "alice")
	before := time.Now().Truncate(time.Microsecond)
	s.direct("bob alice\ncarol alice\n", 2, files.ImportOptions{})
	created := func(path string) time.Time {
		doc, err := s.Client.Doc(path).Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return doc.Data()["createdAt"].(time.Time)
	}
	if at := created("users/alice/followers/carol"); at.Before(before) || !at.Equal(created("users/carol/following/alice")) {
		t.Errorf("carol's follow is of %v, its edge of %v, the import of %v", at, created("users/carol/following/alice"), before)
	}
	if at := created("users/bob/following/alice"); !at.Equal(created("users/alice/followers/bob")) {
		t.Errorf("bob's follow was there before; its edge is of %v", at)
	}
	s.wantVerified(2)
}
