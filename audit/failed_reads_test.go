//go:build long

package audit_test

import (
	"errors"
	"fmt"
	"testing"

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
	for name, author := range map[string]string{"all authors": "", "one author": "author"} {
		testkit.Disturb(t, testkit.Disturbed[*testkit.App]{
			Name: name, Reads: 5,
			Prepare: func(*testing.T) *testkit.App { return a },
			Act:     func(a *testkit.App, p testkit.Process) error { return verified(a, author, p.Interceptor) },
		})
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

// A merge is disturbed while a follower who is about to be moved is being purged.
func TestNextMergeFinishesDisturbedMergeDuringPurge(t *testing.T) {
	t.Parallel()
	cfg, documents := halfEmpty(t)
	type purging struct {
		*testkit.App
		held   *testkit.Gate
		purged chan error
	}
	testkit.Disturb(t, testkit.Disturbed[purging]{
		Name: "a purge that is held", Reads: 10, Long: true,
		Prepare: func(t *testing.T) purging {
			a := testkit.CopyOf(t, cfg, documents)
			x := purging{a, testkit.NewGate(t, testkit.CommitOf("users/author/followers/r5")), make(chan error, 1)}
			go func() { x.purged <- a.Worker(0, x.held.Interceptor()).Purge(a, "r5") }()
			x.held.Await()
			return x
		},
		Act: func(x purging, p testkit.Process) error { return left(x.Merge(nil, p.Interceptor)) },
		Check: func(x purging) {
			if n := x.IndexDocuments(); n != 2 {
				x.T.Errorf("%d index documents, want 2", n)
			}
			x.held.Open()
			x.OK(<-x.purged)
			x.WantSound()
		},
	})
}
