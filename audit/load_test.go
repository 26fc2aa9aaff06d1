package audit_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/audit/load"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// Adopted without options, follows are of now, and nothing is tried again.
func TestAdoptWithoutOptions(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 2})
	a.Post("p1", "author", stories.Day)
	a.Settle()
	follows := []load.Follows{{Author: "author", Followers: []string{"r1", "r2", "r3"}}}
	for range 2 { // the second time there is nothing left to do
		a.OK(load.New(a.Instance()).Adopt(t.Context(), follows, load.Options{}))
		a.Settle()
		a.WantFeed("r3", "p1")
		a.WantVerified()
	}
	if at := a.Data("users/author/followers/r3")["createdAt"].(time.Time); time.Since(at) > time.Hour {
		t.Errorf("the follow is of %v", at)
	}
}

// An import is disturbed, and run again, and then again with nothing to do.
func TestNextImportFinishesDisturbedImport(t *testing.T) {
	t.Parallel()
	follows := []load.Follows{{Author: "author", Followers: []string{"r1", "r2", "r3"}}, {Author: "x", Followers: []string{"r1"}}}
	testkit.Disturb(t, testkit.Disturbed[*testkit.App]{
		Name: "follows of two authors", Writes: 5, Reads: 5,
		Prepare: func(t *testing.T) *testkit.App {
			a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, Capacity: 2})
			for n := range 3 {
				a.Post(fmt.Sprintf("p%d", n), "author", stories.Day.Add(time.Duration(n)*time.Hour))
			}
			return a
		},
		Act: func(a *testkit.App, p testkit.Process) error {
			for range 2 {
				if err := load.New(a.Instance(p.Interceptor)).Adopt(a.T.Context(), follows, load.Options{Since: stories.Day}); err != nil {
					return err
				}
			}
			return nil
		},
		Check: func(a *testkit.App) { a.WantSound() },
	})
}
