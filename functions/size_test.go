package functions_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/config"
)

// loadFull gives author full index documents, each of ids that name gives, as
// many as fit, and makes followers of the first in each: they can unfollow.
func (a *app) loadFull(author string, documents, each int, name func(n int) string) (leavers []string) {
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
		a.Must(a.Client.Doc("users/"+followers[0]+"/following/"+author).Set(a.T.Context(), map[string]any{"indexId": index, "createdAt": day}))
		leavers = append(leavers, followers[0])
	}
	a.Must(a.Client.Doc("users/"+author).Set(a.T.Context(), map[string]any{
		"displayName": author, "followers_index": ids, "latestFollowersIndex": ids[len(ids)-1],
	}))
	a.Settle()
	for _, f := range leavers {
		a.Follow(f, author) // which the mirrors have made known: nothing is written
	}
	a.Settle()
	return leavers
}

// What every operation writes stays within Firestore's limits, which the guards
// enforce, however large the documents are: 10,000 Firebase user ids in each,
// or as many of the longest ids as their bytes allow.
func TestEverythingFitsWithTheLargestDocuments(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1490)
	for name, c := range map[string]struct {
		author, post    string
		documents, each int
		follower        func(n int) string
	}{
		"10,000 ids of 28 characters": {"author", "post", 12, 10_000, func(n int) string { return fmt.Sprintf("follower%020d", n) }},
		"ids of 1,500 bytes":          {long + "author345", long + "post567890", 3, 523, func(n int) string { return fmt.Sprintf("%s%010d", long, n) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, config.Functions{CopiedFields: []string{"text"}, InlineLimit: 5, Lane: 4})
			leavers := a.loadFull(c.author, c.documents, c.each, c.follower)
			post := a.Client.Doc("posts/" + c.post)
			relations := func() (n, followers int) {
				docs, err := a.Client.Collection("_relations").Where("userId", "==", c.author).Documents(t.Context()).GetAll()
				if err != nil {
					t.Fatal(err)
				}
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

			a.Post(c.post, c.author, day)
			a.Settle()
			want("a post", c.documents, all)
			a.Must(post.Update(t.Context(), []firestore.Update{{Path: "text", Value: "new"}}))
			a.Settle()
			a.Must(post.Update(t.Context(), []firestore.Update{{Path: "createdAt", Value: day.Add(time.Hour)}})) // all entries of the feed's index go and come
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
