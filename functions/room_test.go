package functions_test

import (
	"fmt"
	"slices"
	"testing"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/wire"
)

// indexDocuments counts the author's index documents.
func (a *app) indexDocuments() int {
	a.T.Helper()
	docs, err := a.Client.Collection("users/author/followers_index").Select().Documents(a.T.Context()).GetAll()
	a.ok(err)
	return len(docs)
}

// followAll writes follower documents, or deletes them, and does what their events do, in a process of its own.
func (a *app) followAll(readers []string, follow bool) {
	a.T.Helper()
	x := a.Instance()
	var group errgroup.Group
	for _, f := range readers {
		if follow {
			a.Follow(f, "author")
		} else {
			a.Unfollow(f, "author")
		}
		group.Go(func() error { return x.Graph.Follow(a.T.Context(), "author", f) })
	}
	a.ok(group.Wait())
}

// Accounts of one client, one more than an index document holds, unfollow and
// follow again and again.
func TestUnfollowAndRefollowOpensNoMore(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Capacity: 2})
	a.Silence()
	a.Post("p1", "author", day)
	readers := make([]string, 7)
	for n := range readers {
		readers[n] = fmt.Sprintf("r%d", n)
	}
	var opened []int
	for range 6 {
		a.followAll(readers, true)
		opened = append(opened, a.indexDocuments())
		a.WantFeed(readers[0], "p1")
		a.followAll(readers, false)
	}
	if slices.Max(opened) > opened[1] {
		t.Errorf("%v, want no more after the second", opened)
	}
	a.WantVerified()
}

// The index documents before the current one are read only where it is full,
// and one of them is current then.
func TestFillingADocumentAgainReadsTheOthersOnce(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Capacity: 2})
	a.Silence()
	a.followAll([]string{"r1", "r2"}, true)
	a.followAll([]string{"r3", "r4"}, true)
	a.followAll([]string{"r5", "r6"}, true)
	a.followAll([]string{"r1", "r2"}, false)
	var counts []int64
	for _, f := range []string{"r7", "r8"} {
		var meter wire.Meter
		a.Follow(f, "author")
		a.ok(a.Instance(meter.Interceptor()).Graph.Follow(t.Context(), "author", f))
		counts = append(counts, meter.Counts().Reads)
	}
	if want := counts[1] + 3; counts[0] != want { // two others with two fields, and one of them again
		t.Errorf("the follow that fills another document read %d, the next %d; want %d", counts[0], counts[1], want)
	}
	user, err := a.Client.Doc("users/author").Get(t.Context())
	a.ok(err)
	if current, _ := user.DataAt("latestFollowersIndex"); current != "00001" {
		t.Errorf("%v is current, want 00001", current)
	}
	if n := a.indexDocuments(); n != 3 {
		t.Errorf("%d index documents, want 3", n)
	}
	a.Post("p1", "author", day)
	a.ok(a.Instance().Deliveries.Post(t.Context(), "p1"))
	a.WantFeed("r7", "p1")
	a.WantVerified()
}

// A user document that names index documents that are no longer there, the
// current one aside, is not gone by: another would be opened after a gap.
func TestNoIndexDocumentIsOpenedAfterAGap(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Capacity: 1})
	a.Silence()
	a.followAll([]string{"r1"}, true)
	a.Must(a.Client.Doc("users/author").Update(t.Context(), []firestore.Update{
		{Path: "followers_index", Value: []string{"00001", "00002", "00003"}},
	}))
	a.followAll([]string{"r2"}, true)
	if n := a.indexDocuments(); n != 2 {
		t.Errorf("%d index documents, want 2", n)
	}
	a.WantVerified()
}

func (a *app) ok(err error) {
	a.T.Helper()
	if err != nil {
		a.T.Fatal(err)
	}
}
