package testkit

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex"
	"example.com/relationindex/emulator/ttl"
	"example.com/relationindex/feed"
	"example.com/relationindex/internal/indexfile"
	"example.com/relationindex/schema"
)

// HorizonDay is a horizon of a day. The others are ages of posts on all sides of it.
const (
	HorizonDay = 24 * time.Hour
	Young      = time.Hour
	InMargin   = HorizonDay + 30*time.Minute
	Old        = HorizonDay + 2*time.Hour
	VeryOld    = 90 * HorizonDay
)

// AgedPost writes a post whose createdAt is age ago.
func (a *App) AgedPost(id, author string, age time.Duration) {
	a.T.Helper()
	a.Post(id, author, time.Now().Add(-age).Truncate(time.Microsecond))
}

// Sweep deletes expired documents, as the TTL policy does, and returns their number.
func (a *App) Sweep() int {
	a.T.Helper()
	file, err := indexfile.Parse(relationindex.FirestoreIndexes)
	if err != nil {
		a.T.Fatal(err)
	}
	n, err := ttl.Delete(a.T.Context(), Machine(a.T).Emulator.FirestoreHost(), a.ID, "(default)", file, time.Now())
	if err != nil {
		a.T.Fatal(err)
	}
	return n
}

// WantJoin checks that Feed and Pull return exactly the posts to audiences that a reader follows, and
// those with the reader in `to`, newest first, in pages of limit posts.
func (a *App) WantJoin(reader string, limit int) {
	a.T.Helper()
	follows := map[string]bool{}
	for path := range a.Documents(a.Client.CollectionGroup("followers").Query) {
		if parts := strings.Split(path, "/"); parts[3] == reader {
			follows[parts[1]] = true
		}
	}
	posts := a.Documents(a.Client.Collection("posts").Where("createdAt", ">", time.Time{}))
	at := func(path string) time.Time { return posts[path]["createdAt"].(time.Time) }
	var want []string
	for _, path := range slices.SortedFunc(maps.Keys(posts), func(x, y string) int { return at(y).Compare(at(x)) }) {
		to, _ := posts[path]["to"].([]any)
		audience, ok := posts[path]["audience"].(string)
		if !ok {
			audience = posts[path]["userId"].(string)
		}
		if follows[audience] || slices.Contains(to, any(reader)) {
			want = append(want, strings.TrimPrefix(path, "posts/"))
		}
	}
	f := feed.New(a.Client, a.Config, nil)
	for source, read := range map[string]func(cursor string) (feed.Page, error){
		"Feed": func(cursor string) (feed.Page, error) { return f.Page(a.T.Context(), reader, limit, cursor) },
		"pull": func(cursor string) (feed.Page, error) { return f.Pull(a.T.Context(), reader, limit, cursor) },
	} {
		var got []string
		for cursor, more := "", true; more; more = cursor != "" {
			page, err := read(cursor)
			if err != nil {
				a.T.Fatal(err)
			}
			for _, post := range page.Posts {
				got = append(got, post.ID)
			}
			cursor = page.Cursor
		}
		if diff := cmp.Diff(want, got); diff != "" {
			a.T.Errorf("%s of %s in pages of %d (-want +got):\n%s", source, reader, limit, diff)
		}
	}
}

// DaysAgo returns the age of the n-th of posts that are a day apart: half a day, one and a half, and
// so on.
func DaysAgo(n int) time.Duration { return time.Duration(2*n-1) * HorizonDay / 2 }

// StoreHorizon stores a horizon.
func (a *App) StoreHorizon(h schema.Horizon) {
	a.T.Helper()
	a.Must(schema.HorizonDocument(a.Client).Set(a.T.Context(), h.Fields()))
}
