//go:build long

package audit_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// An index document takes up to 1 MiB, and an author may have thousands.
func TestVerifyReadsFewIndexDocumentsAtOnce(t *testing.T) {
	t.Parallel()
	a := crowdApp(t, 24, 1)
	damage := func() {
		a.Must(a.Client.Doc("users/f000/following/author").Delete(t.Context()))
		a.Must(a.Client.Doc("users/author/followers/f003").Delete(t.Context()))
	}
	for what, run := range map[string]func(*social.System) error{
		"verify": func(x *social.System) error {
			_, err := verify.New(x).All(t.Context(), func(verify.Violation) {}, nil)
			return err
		},
		"verify --author": func(x *social.System) error {
			_, err := verify.New(x).Author(t.Context(), "author", func(verify.Violation) {}, nil)
			return err
		},
		"repair": func(x *social.System) error { _, err := repair.New(x).Repair(t.Context(), "", nil, nil); return err },
	} {
		damage()
		var most, calls atomic.Int64
		err := run(a.Instance(testkit.SeeRequests(func(req any) {
			get, ok := req.(*pb.BatchGetDocumentsRequest)
			if !ok || get.GetMask() != nil {
				return
			}
			whole := int64(0)
			for _, name := range get.GetDocuments() {
				if strings.Contains(name, "/followers_index/") {
					whole++
				}
			}
			if whole > 0 {
				calls.Add(1)
			}
			for old := most.Load(); whole > old && !most.CompareAndSwap(old, whole); old = most.Load() {
			}
		})))
		a.OK(err)
		if most.Load() > 2 || calls.Load() == 0 {
			t.Errorf("%s: of %d calls one call asks for %d whole index documents, want at most 2", what, calls.Load(), most.Load())
		}
	}
}

// cut ends each query after every few documents, as Firestore ends one that takes too long.
func cut(every int, cuts *atomic.Int64) wire.Interceptor {
	return wire.Interceptor{Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := open(ctx, desc, cc, method, opts...)
		return &cutStream{ClientStream: s, left: every, cuts: cuts}, err
	}}
}

type cutStream struct {
	grpc.ClientStream
	left int
	cuts *atomic.Int64
}

func (s *cutStream) RecvMsg(m any) error {
	if err := s.ClientStream.RecvMsg(m); err != nil {
		return err
	}
	if result, ok := m.(*pb.RunQueryResponse); ok && result.GetDocument() != nil {
		if s.left--; s.left < 0 {
			s.cuts.Add(1)
			return status.Error(codes.Unavailable, "the query took too long")
		}
	}
	return nil
}

// A cut query does not end the reading of its hour.
func TestVerifyResumesCutQuery(t *testing.T) {
	t.Parallel()
	a := crowdApp(t, 20, 4)
	a.Must(a.Client.Doc("users/f001/following/author").Delete(t.Context()))
	a.Must(a.Client.Doc("users/f002/following/nobody").Set(t.Context(), map[string]any{"indexId": "00001"}))
	for n := range 3 {
		a.Must(a.Client.Doc(fmt.Sprintf("_relations/p%d_00001", n)).Set(t.Context(), map[string]any{"userId": "author", "audience": "author", "postId": "gone"}))
	}
	for _, author := range []string{"", "author"} {
		run := func(interceptors ...wire.Interceptor) (verify.Verified, []string) {
			var found []string
			report := func(v verify.Violation) { found = append(found, v.String()) }
			x := a.Instance(interceptors...)
			check := func() (verify.Verified, error) { return verify.New(x).All(t.Context(), report, nil) }
			if author != "" {
				check = func() (verify.Verified, error) { return verify.New(x).Author(t.Context(), author, report, nil) }
			}
			counts, err := check()
			a.OK(err)
			slices.Sort(found)
			return counts, found
		}
		whole, wholeFound := run()
		var cuts atomic.Int64
		parts, partsFound := run(cut(3, &cuts))
		if diff := cmp.Diff(whole, parts); diff != "" || whole.Followers != 20 {
			t.Errorf("cut %d times it counts (-whole +cut):\n%s", cuts.Load(), diff)
		}
		if diff := cmp.Diff(wholeFound, partsFound); diff != "" || len(wholeFound) < 4 {
			t.Errorf("cut %d times it finds (-whole +cut):\n%s", cuts.Load(), diff)
		}
		if cuts.Load() < 6 {
			t.Errorf("%d queries were cut, want more", cuts.Load())
		}
	}
	// One that is cut before it gives anything is not tried for ever.
	var cuts atomic.Int64
	if _, err := verify.New(a.Instance(cut(0, &cuts))).All(t.Context(), func(verify.Violation) {}, nil); status.Code(err) != codes.Unavailable {
		t.Errorf("without a document from %d queries it says %v", cuts.Load(), err)
	}
}

// Across many ranges, verify names each wrong follower, and no other.
func TestVerifyNamesEachWrongFollower(t *testing.T) {
	t.Parallel()
	a := crowdApp(t, 300, 20)
	set := func(path string, data map[string]any) { a.Must(a.Client.Doc(path).Set(t.Context(), data)) }
	remove := func(path string) { a.Must(a.Client.Doc(path).Delete(t.Context())) }
	want := map[string]string{}
	for _, n := range []int{0, 19, 20, 150, 299} {
		path := fmt.Sprintf("users/f%03d/following/author", n)
		remove(path)
		want[path] = "edge is missing"
	}
	// Two have changed places: no count differs.
	set("users/f030/following/author", map[string]any{"indexId": "00003"})
	set("users/f050/following/author", map[string]any{"indexId": "00002"})
	want["users/f030/following/author"] = `edge names index document "00003", but the follower is in "00002"`
	want["users/f050/following/author"] = `edge names index document "00002", but the follower is in "00003"`
	set("users/author/followers/f0501", map[string]any{}) // between two others
	set("users/f0501/following/author", map[string]any{"indexId": "00003"})
	want["users/author/followers/f0501"] = "follower is in no index document"
	want["users/f0501/following/author"] = `edge names index document "00003", but the follower is in none`
	remove("users/author/followers/f222")
	want["users/author/followers_index/00012"] = `holds "f222", who does not follow`
	want["users/f222/following/author"] = "edge of a follow that does not exist"
	set("users/zzz/following/author", map[string]any{"indexId": "00015"})
	want["users/zzz/following/author"] = "edge of a follow that does not exist"
	for _, held := range []int{1, 64, 320, 0} { // ranges of one follower, two, ten, and all
		x := testkit.Index(t, a.ID, schema.Config{NoOwnPosts: true, Capacity: 20, Held: held})
		got := map[string]string{}
		if _, err := verify.New(x).All(t.Context(), func(v verify.Violation) {
			if other, twice := got[v.Document]; twice {
				t.Errorf("%s is named for %s and %s", v.Document, other, v.Problem)
			}
			got[v.Document] = v.Problem
		}, nil); err != nil {
			t.Fatal(err)
		}
		testkit.Same(t, fmt.Sprintf("holding %d", held), want, got)
	}
	if repaired, _ := a.Repair(""); repaired.After.Violations > 0 {
		t.Errorf("a repair leaves %v", repaired.Left)
	}
	a.WantSound()
}

// repairHolding is a repair by an index with options of its own, and how often it has repaired and verified.
func repairHolding(t *testing.T, a *testkit.App, o schema.Config) (repaired repair.Repaired, repairs int, verifies int64, err error) {
	t.Helper()
	last := int64(0)
	var marks atomic.Int64 // queries of them: each verify ends with one, and each repair begins with one
	repaired, err = repair.New(testkit.Index(t, a.ID, o, testkit.SeeRequests(func(req any) {
		if query, ok := req.(*pb.RunQueryRequest); ok && query.GetStructuredQuery().GetFrom()[0].GetCollectionId() == "_purging" {
			marks.Add(1)
		}
	}))).Repair(t.Context(), "", nil, func(doing string, documents int64) {
		if doing != "repair" {
			return
		}
		if documents <= last || last == 0 { // each begins anew
			repairs++
		}
		last = documents
	})
	return repaired, repairs, marks.Load() - 1, err
}

// crowdApp is a sound app without functions whose author has followers f000, f001 and so on, in index documents of
// some each, and no posts.
func crowdApp(t *testing.T, followers, each int) *testkit.App {
	t.Helper()
	documents := map[string]map[string]any{}
	var ids []string
	for n := range followers {
		i, f := fmt.Sprintf("%05d", n/each+1), fmt.Sprintf("f%03d", n)
		path := "users/author/followers_index/" + i
		if n%each == 0 {
			ids = append(ids, i)
			documents[path] = map[string]any{"followers": []string{}, "count": 0, "sizeBytes": 0, "version": 1, "changes": []any{}, "backfilled": true}
		}
		index := documents[path]
		index["followers"] = append(index["followers"].([]string), f)
		index["count"] = index["count"].(int) + 1
		index["sizeBytes"] = index["sizeBytes"].(int) + len(f) + 1
		documents["users/author/followers/"+f] = map[string]any{"createdAt": stories.Day}
		documents["users/"+f+"/following/author"] = map[string]any{"indexId": i, "createdAt": stories.Day}
	}
	documents["users/author"] = map[string]any{"followers_index": ids, "latestFollowersIndex": ids[len(ids)-1]}
	return testkit.CopyOf(t, schema.Config{NoOwnPosts: true, Capacity: each}, documents)
}

// The findings that a repair holds are bounded, so that any damage fits in memory. One walk mends any amount of damage.
func TestRepairBeyondMemoryIsOneWalk(t *testing.T) {
	t.Parallel()
	const followers, posts, held = 40, 4, 5
	for what, c := range map[string]struct {
		damage   func(*testkit.App)
		repairs  int   // at least
		verifies int64 // at most
	}{
		"edges are gone": {func(a *testkit.App) {
			for n := range followers {
				a.Must(a.Client.Doc(fmt.Sprintf("users/f%03d/following/author", n)).Delete(t.Context()))
			}
		}, followers / held, 2},
		"relations are gone": {func(a *testkit.App) {
			for n := range posts {
				a.Post(fmt.Sprintf("p%d", n), "author", stories.Day)
			}
		}, 4 * posts / held, 2},
		"nothing is there but follows and posts": {func(a *testkit.App) {
			for path := range a.Documents(a.Client.CollectionGroup("followers_index").Query, a.Client.CollectionGroup("following").Query, a.Client.Collection("users").Query) {
				a.Must(a.Client.Doc(path).Delete(t.Context()))
			}
			a.Post("p", "author", stories.Day)
		}, followers / held, 2},
		"an author blocks many": {func(a *testkit.App) {
			for n := range followers {
				a.Must(a.Client.Doc(fmt.Sprintf("users/author/blocked/f%03d", n)).Set(t.Context(), map[string]any{}))
			}
			a.Post("p", "author", stories.Day)
		}, followers / held, 2},
		// The next walk finds the followers who lose their place when these are deleted.
		"index documents are not ours": {func(a *testkit.App) {
			a.Must(a.Client.Doc("users/author/followers_index/00004").Delete(t.Context()))
			a.Must(a.Client.Doc("users/author/followers_index/zzz").Set(t.Context(), map[string]any{"followers": []string{"f030", "f031", "f032", "f033", "f034", "f035", "f036"}}))
		}, 10 / held, 3},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			a := crowdApp(t, followers, 10)
			c.damage(a)
			repaired, repairs, verifies, err := repairHolding(t, a, schema.Config{NoOwnPosts: true, Capacity: 10, Held: held})
			if err != nil || repaired.After.Violations > 0 {
				t.Errorf("%+v, %v: %v", repaired.After, repaired.Left, err)
			}
			if repairs < c.repairs {
				t.Errorf("%d followers are repaired %d times: more than %d were held", followers, repairs, held)
			}
			if verifies > c.verifies {
				t.Errorf("it verifies %d times, want at most %d", verifies, c.verifies)
			}
			a.WantSound()
		})
	}
	// Those who are too many in their index documents are moved in one walk, a few at a time.
	t.Run("the capacity is lower", func(t *testing.T) {
		t.Parallel()
		a := crowdApp(t, followers, 20)
		a.Post("p1", "author", stories.Day)
		a.Config.Capacity = 4
		repaired, _, verifies, err := repairHolding(t, a, schema.Config{NoOwnPosts: true, Capacity: 4, Held: held})
		if verifies != 2 {
			t.Errorf("it verifies %d times, want two", verifies)
		}
		if err != nil || repaired.After.Violations > 0 || repaired.After.IndexDocuments != followers/4 {
			t.Errorf("%+v, %v: %v", repaired.After, repaired.Left, err)
		}
		a.WantSound()
	})
}
