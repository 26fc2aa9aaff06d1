package functions_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/internal/devhost/faults"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/testkit"
)

// horizonConfig is the configuration of keptApp.
var horizonConfig = config.Functions{Horizon: 3, Capacity: 1}

// keptApp is an app with a horizon of 3 whose author ada has two index documents and the
// posts p1 to p8, of which p6 to p8 are kept. No event is handled any more.
func keptApp(t *testing.T) *app {
	t.Helper()
	a := newApp(t, horizonConfig)
	a.Follow("r1", "ada")
	a.Follow("r2", "ada")
	a.Settle()
	a.posts("ada", 1, 8)
	a.wantKeeps("ada", 2, "p8 p7 p6")
	a.Silence()
	return a
}

// copyFor writes the relation of a post of ada's and an index document, as a fanout would.
func (a *app) copyFor(n int, i string) {
	a.T.Helper()
	data := maps.Clone(a.Data("_relations/p8_" + i))
	data["postId"], data["createdAt"] = fmt.Sprint("p", n), day.Add(time.Duration(n)*time.Hour)
	a.Must(a.Client.Doc(fmt.Sprintf("_relations/p%d_%s", n, i)).Set(a.T.Context(), data))
}

func (a *app) drop(relations ...string) {
	a.T.Helper()
	for _, r := range relations {
		a.Must(a.Client.Doc("_relations/" + r).Delete(a.T.Context()))
	}
}

func beyondHorizon() map[string]struct {
	damage func(*app)
	want   []string // what verify says
	kept   string   // after a repair
} {
	type c = struct {
		damage func(*app)
		want   []string
		kept   string
	}
	missing := func(p, i string) string {
		return fmt.Sprintf("_relations/%s_%s: relation of post %s and index document %s is missing (invariant 3)", p, i, p, i)
	}
	leftover := func(p, i string) string {
		return fmt.Sprintf("_relations/%s_%s: post %s is not among the newest 3, and not kept (invariant 3)", p, i, p)
	}
	return map[string]c{
		"nothing": {func(*app) {}, nil, "p8 p7 p6"},
		"the newest post is not kept": {
			func(a *app) { a.drop("p8_00001", "p8_00002") },
			[]string{missing("p8", "00001"), missing("p8", "00002")}, "p8 p7 p6",
		},
		"the marker of a post is gone": {
			func(a *app) { a.drop("p6_00001") },
			[]string{missing("p6", "00001")}, "p8 p7 p6",
		},
		"a kept post has not all": {
			func(a *app) { a.drop("p7_00002") },
			[]string{missing("p7", "00002")}, "p8 p7 p6",
		},
		"nothing is kept": {
			func(a *app) { a.drop("p6_00001", "p6_00002", "p7_00001", "p7_00002", "p8_00001", "p8_00002") },
			[]string{missing("p6", "00001"), missing("p6", "00002"), missing("p7", "00001"), missing("p7", "00002"), missing("p8", "00001"), missing("p8", "00002")},
			"p8 p7 p6",
		},
		"an evicted post has a relation left": {
			func(a *app) { a.copyFor(2, "00002") },
			[]string{leftover("p2", "00002")}, "p8 p7 p6",
		},
		"one left, and the newest not kept": {
			func(a *app) {
				a.copyFor(2, "00002")
				a.drop("p8_00001", "p8_00002")
			},
			[]string{leftover("p2", "00002"), missing("p8", "00001"), missing("p8", "00002")}, "p8 p7 p6",
		},
		"an old post is kept": {
			func(a *app) { a.copyFor(2, "00001"); a.copyFor(2, "00002") }, nil, "p8 p7 p6 p2",
		},
		"an old post is kept, and has not all": {
			func(a *app) { a.copyFor(2, "00001") },
			[]string{missing("p2", "00002")}, "p8 p7 p6 p2",
		},
		"twice as many are kept": {
			func(a *app) {
				for n := 3; n < 6; n++ {
					a.copyFor(n, "00001")
					a.copyFor(n, "00002")
				}
			}, nil, "p8 p7 p6 p5 p4 p3",
		},
		"too many are kept": {
			func(a *app) {
				for n := 1; n < 6; n++ {
					a.copyFor(n, "00001")
					a.copyFor(n, "00002")
				}
			}, []string{"users/ada: 8 posts have relations, but the horizon is 3: run relationindex horizon 3 (invariant 3)"}, "p8 p7 p6",
		},
		"a post without a time": {
			func(a *app) {
				a.Must(a.Client.Doc("posts/undated").Set(a.T.Context(), map[string]any{"userId": "ada", "audience": "ada", "createdAt": "today"}))
			}, nil, "p8 p7 p6",
		},
		"two posts at the horizon's time": { // either may be kept
			func(a *app) {
				a.Must(a.Client.Doc("posts/p6b").Set(a.T.Context(), map[string]any{"userId": "ada", "audience": "ada", "createdAt": day.Add(6 * time.Hour)}))
			}, nil, "p8 p7 p6",
		},
	}
}

// Verify names each relation that the horizon requires or forbids, and nothing else. A repair
// makes that right, and the second writes nothing.
func TestVerifyAndRepairKnowTheHorizon(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.CasesByName(t, beyondHorizon()) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := keptApp(t)
			c.damage(a)
			for what, violations := range map[string][]verify.Violation{"all": a.Violations(), "the author": a.violationsOf("ada")} {
				got := map[string]bool{}
				for _, v := range violations {
					got[v.String()] = true
				}
				want := map[string]bool{}
				for _, v := range c.want {
					want[v] = true
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
			repaired, used := a.repair("")
			if repaired.After.Violations != 0 {
				t.Errorf("after the repair: %v", repaired.Left)
			}
			if c.want == nil && used.Writes+used.Deletes > 0 {
				t.Errorf("nothing was wrong, and the repair costs %v", used)
			}
			a.wantKeeps("ada", 2, c.kept)
			if _, used := a.repair(""); used.Writes+used.Deletes > 0 {
				t.Errorf("a second repair costs %v, want no writes", used)
			}
		})
	}
}

// A repair is killed at each of its writes, or one of its reads fails, and the next ends it.
func TestARepairWithAHorizonThatDies(t *testing.T) {
	t.Parallel()
	a := keptApp(t)
	a.Post("p0", "ada", day)
	for misfortune, comes := range faults.Misfortunes() {
		points := 0
		for at := 1; ; at += testkit.Stride(t) {
			for n := 1; n < 6; n++ {
				a.copyFor(n, "00001")
				a.copyFor(n, "00002")
			}
			a.copyFor(0, "00002")
			a.drop("p8_00001", "p8_00002", "p7_00002")
			a.Must(a.Client.Doc("users/ada/followers_index/00001").Update(t.Context(), []firestore.Update{{Path: "backfilled", Value: false}}))
			interceptor, happened := comes(at)
			unlucky, err := repair.New(a.Instance(interceptor)).Repair(t.Context(), "", nil, nil)
			if !happened() {
				break
			}
			points++
			if err == nil && unlucky.After.Violations == 0 {
				a.WantVerified()
			}
			if repaired, _ := a.repair(""); repaired.After.Violations != 0 {
				t.Errorf("%+v: %v", repaired.After, repaired.Left)
			}
			a.wantKeeps("ada", 2, "p8 p7 p6")
			if t.Failed() {
				t.Fatalf("%s %d", misfortune, at)
			}
		}
		t.Logf("%s at %d points", misfortune, points)
		if points*testkit.Stride(t) < 3 {
			t.Errorf("%s at %d points alone", misfortune, points)
		}
	}
}

// A post arrives, and another is evicted, while verify has read what was before.
func TestVerifyBesideAnEviction(t *testing.T) {
	t.Parallel()
	a := keptApp(t)
	a.Wake()
	held := newGate(t, func(req any) bool { // the posts, after the query for relations
		q, ok := req.(*pb.RunQueryRequest)
		return ok && strings.Contains(q.String(), `collection_id:"posts"`)
	})
	var found []verify.Violation
	done := make(chan error, 1)
	go func() {
		_, err := verify.New(a.Instance(held.interceptor())).Relations(t.Context(), func(v verify.Violation) { found = append(found, v) }, nil)
		done <- err
	}()
	held.await()
	a.posts("ada", 9, 10)
	held.open()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Errorf("verify: %v", v)
	}
	a.wantKeeps("ada", 2, "p10 p9 p8")
	a.WantVerified()
}

// Where the variable says more than is true, Feed misses posts beyond the horizon.
func TestVerifyReportsPostsThatAreNotFilled(t *testing.T) {
	t.Parallel()
	cfg := horizonConfig
	cfg.PostsFilled = true
	a := newApp(t, cfg)
	a.Follow("r1", "ada")
	a.Settle()
	a.PostTo("p1", "ada", "ada", day)
	a.Must(a.Client.Doc("posts/p1").Update(t.Context(), []firestore.Update{{Path: "hidden", Value: false}}))
	a.Post("p2", "ada", day)
	a.Settle()
	found := a.Violations()
	if len(found) != 1 || !strings.HasPrefix(found[0].Problem, "1 posts lack audience or hidden") {
		t.Errorf("got %v", found)
	}
	a.Must(a.Client.Doc("posts/p2").Update(t.Context(), []firestore.Update{{Path: "audience", Value: "ada"}, {Path: "hidden", Value: false}}))
	a.wantSound()
}
