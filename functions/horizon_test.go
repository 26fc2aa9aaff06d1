package functions_test

import (
	"fmt"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/testkit"
)

// A follow and an unfollow are about the posts that have relations, and cost no more.
func TestWhatAFollowCostsWithAHorizon(t *testing.T) {
	t.Parallel()
	cfg := config.Functions{Horizon: testkit.HorizonDay, Capacity: 10, CopiedFields: []string{"text"}}
	a, x := newApp(t, cfg), formulas(cfg, 3)
	for n := range 20 {
		a.AgedPost(fmt.Sprint("old", n), "author", testkit.VeryOld)
	}
	for n := range 3 {
		a.AgedPost(fmt.Sprint("new", n), "author", testkit.Young)
	}
	a.Follow("f0", "author")
	a.Settle()
	a.wantCost("a follow", x.Follow(3), oneWrite, func() { a.Follow("f1", "author") })
	a.wantCost("an unfollow", x.Unfollow(3), oneDelete, func() { a.Unfollow("f1", "author") })
	a.wantCost("a post", x.Post(1), oneWrite, func() { a.AgedPost("p", "author", testkit.Young) })
	a.wantCost("an edit", x.Edit(1), oneWrite, func() { a.Edit("p", firestore.Update{Path: "text", Value: "two"}) })
	a.wantCost("a deletion", x.Delete(1), oneDelete, func() { a.DeletePost("p") })
	a.wantCost("an edit of an old post", x.Edit(0), oneWrite, func() { a.Edit("old1", firestore.Update{Path: "text", Value: "two"}) })
}
