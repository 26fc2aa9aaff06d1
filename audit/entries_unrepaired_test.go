package audit_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// A repair reports a timeline that it cannot repair, and repairs the others.
func TestRepairReportsUnrepairableTimelines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(w *world)
		fails func(path string) error
		want  string
	}{
		"too much for a transaction": {spoil: largeRing, want: "too much for one transaction"},
		"a damaged edge": {
			spoil: func(w *world) {
				w.set("users/r1/following/ada", map[string]any{"indexId": "00001", "createdAt": "x"})
				w.at = time.Now() // posts from now on are newer than the edge, which says no time
			},
			want: "damaged document",
		},
		"Firestore rejects a document": {spoil: noTotal, fails: failing("users/r1/", codes.InvalidArgument), want: "InvalidArgument"},
		"a document keeps changing":    {spoil: noTotal, fails: failing("users/r1/", codes.FailedPrecondition), want: "documents keep changing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, schema.Config{NoOwnPosts: true, Feeds: []string{"buckets"}, Bucket: 100, Cap: 10_000})
			w.joins("ada", "r1")
			w.joins("eve", "r2")
			c.spoil(w)
			w.write("ada", "p1")
			w.write("eve", "p2")
			var found []string
			got, err := entries.Repair(t.Context(), w.open(rejecting(c.fails)).Timelines, entries.Options{Report: func(p entries.Problem) { found = append(found, p.String()) }})
			w.must(err)
			mine := slices.DeleteFunc(found, func(p string) bool { return !strings.HasPrefix(p, "users/r1/timeline: is not repaired: ") })
			if got.Unrepaired != 1 || len(mine) != 1 || !strings.Contains(mine[0], c.want) || !strings.HasSuffix(mine[0], "run repair-timelines again") {
				t.Errorf("%d timelines are not repaired: %q, want %s", got.Unrepaired, mine, c.want)
			}
			w.wantFeed("r2", "p2")
		})
	}
}

// An error that does not concern one reader's documents ends the repair.
func TestRepairEndsOnConnectionError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, configs["items"])
	w.joins("ada", "r1")
	w.write("ada", "p1")
	_, err := entries.Repair(t.Context(), w.open(rejecting(failing("users/r1/", codes.PermissionDenied))).Timelines, entries.Options{})
	if status.Code(err) != codes.PermissionDenied {
		t.Errorf("the repair ended with %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ends := failing("users/r1/", codes.Aborted)
	_, err = entries.Repair(ctx, w.open(rejecting(func(path string) error {
		if ends(path) != nil {
			cancel()
		}
		return ends(path)
	})).Timelines, entries.Options{})
	if err == nil {
		t.Error("the repair did not end with its context")
	}
}

// largeRing gives r1 buckets without a cap that are too large to be renamed at once.
func largeRing(w *world) {
	w.t.Helper()
	const buckets, size = 21, 100
	documents := map[string]map[string]any{}
	total := 0
	at := time.Now().Add(-time.Hour)
	for n := range buckets {
		all, ids := map[string]any{}, []string{}
		for i := range size {
			id := fmt.Sprintf("%s%02d%02d", strings.Repeat("x", 690), n, i)
			documents["posts/"+id] = map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "createdAt": at}
			ids = append(ids, id)
			all[id] = map[string]any{"post": id, "author": "ada", "audience": "ada", "at": at.UnixMicro()}
		}
		w.set(fmt.Sprintf("users/r1/timeline/past-%08d", n+1), map[string]any{
			"sequence": n + 1, "size": size, "slots": 0, "entries": all, "posts": ids, "accounts": []string{"ada"},
		})
		total += size
	}
	w.set("users/r1/timeline/open", map[string]any{
		"sequence": buckets + 1, "size": size, "slots": 0, "total": total, "entries": map[string]any{}, "posts": []string{}, "accounts": []string{},
	})
	testkit.Write(w.t, w.DB.Client, documents)
}

// noTotal gives r1 an open bucket whose entry nobody can be sure of.
func noTotal(w *world) {
	w.set("users/r1/timeline/open", map[string]any{
		"sequence": 1, "size": 100, "slots": 100, "total": 1, "accounts": []string{},
		"entries": map[string]any{"gone": map[string]any{"post": "gone"}}, "posts": []string{"gone"},
	})
}

// failing fails commits that write below a path.
func failing(below string, code codes.Code) func(path string) error {
	return func(path string) error {
		if strings.Contains(path, "/documents/"+below) {
			return status.Error(code, "of the test")
		}
		return nil
	}
}

// rejecting has commits fail for what they write.
func rejecting(fails func(path string) error) wire.Interceptor {
	return testkit.Answering(func(req any) error {
		if commit, ok := req.(*pb.CommitRequest); ok && fails != nil {
			for _, write := range commit.GetWrites() {
				if err := fails(write.GetUpdate().GetName() + write.GetDelete()); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
