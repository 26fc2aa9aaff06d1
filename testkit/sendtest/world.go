package sendtest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// world is a database of the test's own, without triggers.
type world struct {
	*testkit.App
	suite  Suite
	opened time.Duration // number of processes so far
}

func (s Suite) newWorld(t *testing.T, cfg schema.Config) *world {
	t.Helper()
	cfg.NoOwnPosts, cfg.Deliveries = true, []schema.Delivery{s.Delivery}
	return &world{testkit.OpenApp(t, cfg), s, 0}
}

// process is a process that handles events of posts by the delivery alone, and runs jobs.
type process struct {
	testkit.Worker
	followers.Delivery
}

// open starts another process. Its clock is ahead of the leases of earlier ones.
func (w *world) open(interceptors ...wire.Interceptor) process {
	w.T.Helper()
	w.opened++
	p := w.Worker(w.opened*2*chunker.DefaultLease, interceptors...)
	return process{p, p.Index.Deliveries[len(p.Index.Deliveries)-1]}
}

// brought handles a post's event twice, and runs all jobs. Then it repeats that in another process.
func (w *world) brought(post string) {
	w.T.Helper()
	for range 2 {
		p := w.open()
		w.OK(p.Post(w.T.Context(), post))
		w.OK(p.Post(w.T.Context(), post))
		w.OK(p.Ends(w.App))
	}
}

// write writes a post by an author to their followers, and to others, who follow by their edges alone.
func (w *world) write(author, post string, to ...string) {
	w.T.Helper()
	w.acquaint(author, to...)
	w.Must(w.Client.Doc("posts/"+post).Set(w.T.Context(), map[string]any{
		"userId": author, "audience": author, "to": append([]string{}, to...), "createdAt": firestore.ServerTimestamp,
	}))
}

// acquaint makes people follow an author, by their edges alone.
func (w *world) acquaint(author string, followers ...string) {
	w.T.Helper()
	for _, f := range followers {
		w.Must(w.Client.Doc("users/"+f+"/following/"+author).Set(w.T.Context(), map[string]any{"indexId": schema.IndexID(1)}))
	}
}

// crowd writes index documents with followers of an author, as if all had followed.
func (w *world) crowd(author string, parts ...[]string) {
	w.T.Helper()
	documents := map[string]map[string]any{}
	var ids []string
	for n, readers := range parts {
		ids = append(ids, schema.IndexID(n+1))
		documents["users/"+author+"/followers_index/"+ids[n]] = map[string]any{
			"followers": readers, "count": len(readers), "sizeBytes": schema.IDsBytes(readers), "version": time.Now().UnixNano(), "changes": []any{}, "backfilled": true,
		}
	}
	documents["users/"+author] = map[string]any{"name": author, "followers_index": ids, "latestFollowersIndex": ids[len(ids)-1]}
	testkit.Write(w.T, w.Client, documents)
}

// readers returns ids such as r007, for the numbers from up to and without to.
func readers(from, to int) (ids []string) {
	for n := from; n < to; n++ {
		ids = append(ids, fmt.Sprintf("r%03d", n))
	}
	return ids
}

// readersOf returns the readers who were told of a post, sorted, each as often as they were told; with
// Repeats, each once.
func (w *world) readersOf(post string) []string {
	w.T.Helper()
	told, err := w.suite.Told(w.T.Context(), w.Client, post)
	w.OK(err)
	slices.Sort(told)
	if w.suite.Repeats {
		told = slices.Compact(told)
	}
	return told
}

// wantOnce checks that each of must was told of a post, that nobody was told twice, and that only
// readers of may were told.
func (w *world) wantOnce(post string, must, may []string) {
	w.T.Helper()
	times := map[string]int{}
	for _, r := range w.readersOf(post) {
		if times[r]++; times[r] == 2 {
			w.T.Errorf("%s: %s has it twice", post, r)
		}
		if !slices.Contains(may, r) {
			w.T.Errorf("%s: %s has it", post, r)
		}
	}
	for _, r := range must {
		if times[r] == 0 {
			w.T.Errorf("%s: %s has it not", post, r)
		}
	}
}
