//go:build long

package audit_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// Each read of verify fails, for all authors and for one: verify never reports success.
func TestVerifyReturnsReadErrors(t *testing.T) {
	t.Parallel()
	a := testkit.SoundApp(t)
	a.Block("author", "r9")
	a.Group("g_team", "author")
	a.PostTo("p2", "author", "g_team", stories.Day, "r1")
	a.OK(a.Instance().Deliveries.Post(t.Context(), "p2"))
	for _, author := range []string{"", "author"} {
		testkit.FailReads(t, func(p testkit.Process) error { return verified(a, author, p.Interceptor) })
	}
}

// verified returns an error if verify does not end, or names anything.
func verified(a *testkit.App, author string, i wire.Interceptor) error {
	var violations []error
	note := func(v verify.Violation) { violations = append(violations, fmt.Errorf("verify: %v", v)) }
	var err error
	if x := verify.New(a.Instance(i)); author == "" {
		_, err = x.All(a.T.Context(), note, nil)
	} else {
		_, err = x.Author(a.T.Context(), author, note, nil)
	}
	return errors.Join(append(violations, err)...)
}

// Each read of a repair fails. If the repair returns no error, the database is sound.
func TestRepairReturnsReadErrors(t *testing.T) {
	t.Parallel()
	a := testkit.SoundApp(t)
	a.Post("p2", "author", stories.Day.Add(time.Hour))
	holding := func(followers ...string) map[string]any {
		return map[string]any{"followers": followers, "count": 1, "sizeBytes": 3, "version": 7, "backfilled": true}
	}
	damage := map[string]map[string]any{
		"users/author":                       {"name": "Ada", "followers_index": 5},
		"users/author/followers/r2":          {"createdAt": stories.Day},
		"users/author/blocked/r2":            {"createdAt": stories.Day},
		"users/author/followers/r9":          {},
		"users/author/followers_index/00001": {"followers": "x"},
		"users/author/followers_index/00002": holding("r1", "r3", "r3", "x"),
		"users/author/followers_index/zzz":   holding("r1"),
		"users/r1/following/author":          {"indexId": 7},
		"users/r3/following/author":          {"indexId": "00002", "left": []string{"00001"}},
		"users/r9/following/nobody":          {"indexId": "00001"},
		"_relations/p1_00002":                {"userId": "author", "audience": "author", "postId": "p1", "indexId": "00002", "indexVersion": 99, "text": "old"},
		"_relations/p2_00002":                {"userId": "author", "postId": "p2", "indexId": "00002"}, // without an audience
		"_relations/p2_00009":                {"userId": "author", "audience": "author", "postId": "p2", "indexId": "00009", "createdAt": stories.Day},
		"_relations/stray":                   {"userId": "nobody", "audience": "nobody"},
	}
	testkit.FailReads(t, func(p testkit.Process) error {
		x := repair.New(a.Instance(p.Interceptor))
		for whole := false; ; whole = true { // what is left of the damage, then all of it
			repaired, err := x.Repair(t.Context(), "", nil, nil)
			if err != nil {
				return err
			}
			if n := repaired.After.Violations; n > 0 {
				return fmt.Errorf("%d violations are left: %v", n, repaired.Left)
			}
			if !whole {
				testkit.Write(t, a.Client, damage)
				continue
			}
			a.WantSound()
			if p.Failed() != "" {
				err = errors.New("it got over the failure")
			}
			return err
		}
	})
}

// Each read of a merge fails. A follower who is about to be moved is being purged.
func TestMergeReturnsReadErrors(t *testing.T) {
	t.Parallel()
	cfg, documents := halfEmpty(t)
	a := testkit.CopyOf(t, cfg, documents)
	held := testkit.NewGate(t, testkit.CommitOf("users/author/followers/r5"))
	purged := make(chan error, 1)
	go func() { purged <- a.Worker(0, held.Interceptor()).Purge(a, "r5") }()
	held.Await()
	testkit.FailReads(t, func(p testkit.Process) error {
		_, err := a.Merge(nil, p.Interceptor)
		return err
	})
	if n := a.IndexDocuments(); n != 2 {
		t.Errorf("%d index documents, want 2", n)
	}
	held.Open()
	a.OK(<-purged)
	a.WantSound()
}
