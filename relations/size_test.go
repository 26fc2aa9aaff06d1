package relations_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// loadFull gives author full index documents, each of ids that name gives, as
// many as fit, and makes followers of the first in each: they can unfollow.
func loadFull(a *testkit.App, author string, documents, each int, name func(n int) string) (leavers []string) {
	a.T.Helper()
	var ids []string
	for d := range documents {
		index := fmt.Sprintf("%05d", d+1)
		ids = append(ids, index)
		followers, size := make([]string, each), 0
		for f := range followers {
			followers[f] = name(d*each + f)
			size += len(followers[f]) + 1
		}
		a.Must(a.Client.Doc("users/"+author+"/followers_index/"+index).Set(a.T.Context(), map[string]any{
			"followers": followers, "count": each, "sizeBytes": size, "version": 1, "changes": []any{}, "backfilled": true,
		}))
		a.Must(a.Client.Doc("users/"+followers[0]+"/following/"+author).Set(a.T.Context(), map[string]any{"indexId": index, "createdAt": stories.Day}))
		leavers = append(leavers, followers[0])
	}
	a.Must(a.Client.Doc("users/"+author).Set(a.T.Context(), map[string]any{
		"displayName": author, "followers_index": ids, "latestFollowersIndex": ids[len(ids)-1],
	}))
	a.Settle()
	for _, f := range leavers {
		a.Follow(f, author) // which the edges have made known: nothing is written
	}
	a.Settle()
	return leavers
}

// transactions counts the commits that write relations.
func transactions(counted *atomic.Int64) wire.Interceptor {
	relation := testkit.CommitOf("_relations/")
	return testkit.Answering(func(req any) error {
		if relation(req) {
			counted.Add(1)
		}
		return nil
	})
}

// Index documents of 500 Firebase user ids share a transaction by what they
// hold, not by the 750 KB that ids of 1,500 bytes would take.
func TestTransactionsArePlannedByRealSize(t *testing.T) {
	t.Parallel()
	const documents = 60
	var counted atomic.Int64
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Capacity: 500, CopiedFields: []string{"text"}}, transactions(&counted))
	loadFull(a, "author", documents, 500, func(n int) string { return fmt.Sprintf("follower%020d", n) })
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"a post", func() { a.Post("post", "author", stories.Day) }},
		{"an edit", func() { a.Edit("post", firestore.Update{Path: "text", Value: "new"}) }},
		{"a deletion", func() { a.DeletePost("post") }},
	} {
		counted.Store(0)
		step.do()
		a.Settle()
		if n := counted.Load(); n > 2 {
			t.Errorf("%s of an author with %d index documents takes %d transactions, want at most 2", step.name, documents, n)
		}
	}
}

// An index document may store wrong sizes: transactions are planned by its content.
func TestTransactionsIgnoreWrongStoredSizes(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int64{"negative": -1 << 40, "absurd": 1 << 40} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
			loadFull(a, "author", 4, 10_000, func(n int) string { return fmt.Sprintf("follower%020d", n) })
			a.Silence()
			for d := range 4 {
				a.Must(a.Client.Doc(fmt.Sprintf("users/author/followers_index/%05d", d+1)).Update(t.Context(), []firestore.Update{
					{Path: "count", Value: size}, {Path: "sizeBytes", Value: size}, {Path: "backfilled", Value: false},
				}))
			}
			a.Post("p1", "author", stories.Day)
			a.Post("p2", "author", stories.Day)
			for _, p := range []string{"p1", "p2"} {
				testkit.NoError(t, a.Instance().Deliveries.Post(t.Context(), p))
			}
			if got := a.Count("_relations"); got != 8 {
				t.Errorf("%d relations, want 8", got)
			}
		})
	}
}

// The writes of every operation stay within Firestore's limits, which the guards
// enforce, with the largest documents: 10,000 Firebase user ids in each, or as many of
// the longest ids as their bytes allow.
func TestEverythingFitsWithTheLargestDocuments(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", schema.MaxAccountIDBytes-10)
	for name, c := range map[string]struct {
		author, post    string
		documents, each int
		follower        func(n int) string
	}{
		"10,000 ids of 28 characters": {"author", "post", 12, 10_000, func(n int) string { return fmt.Sprintf("follower%020d", n) }},
		"the longest ids":             {long + "author7890", strings.Repeat("p", schema.MaxPostIDBytes), 3, 523, func(n int) string { return fmt.Sprintf("%s%010d", long, n) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, CopiedFields: []string{"text"}, InlineLimit: 5, Range: 4})
			leavers := loadFull(a, c.author, c.documents, c.each, c.follower)
			post := a.Client.Doc("posts/" + c.post)
			relations := func() (n, followers int) {
				docs, err := a.Client.Collection("_relations").Where("userId", "==", c.author).Documents(t.Context()).GetAll()
				a.OK(err)
				for _, doc := range docs {
					followers += len(doc.Data()["followers"].([]any))
				}
				return len(docs), followers
			}
			want := func(what string, n, followers int) {
				t.Helper()
				if gotN, got := relations(); gotN != n || got != followers {
					t.Errorf("after %s there are %d relations with %d followers, want %d with %d", what, gotN, got, n, followers)
				}
			}
			all := c.documents * c.each

			a.Post(c.post, c.author, stories.Day)
			a.Settle()
			want("a post", c.documents, all)
			a.Must(post.Update(t.Context(), []firestore.Update{{Path: "text", Value: "new"}}))
			a.Settle()
			a.Must(post.Update(t.Context(), []firestore.Update{{Path: "createdAt", Value: stories.Day.Add(time.Hour)}})) // all entries of the feed's index go and come
			a.Settle()
			for _, f := range leavers { // all at once, each in another document
				a.Must(a.Client.Doc("users/" + c.author + "/followers/" + f).Delete(t.Context()))
			}
			a.Settle()
			want("an unfollow in each document", c.documents, all-c.documents)
			for _, f := range leavers { // the latest has room for one: the others open another
				a.Follow(f, c.author)
			}
			a.Settle()
			want("new follows", c.documents+1, all)
			a.Must(post.Delete(t.Context()))
			a.Settle()
			want("the deletion", 0, 0)
		})
	}
}
