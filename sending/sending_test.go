package sending_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/sendtest"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// The contract of deliveries, for one that writes a note for each reader. The other tests of this
// package use the same delivery.
func TestNotesKeepContract(t *testing.T) {
	t.Parallel()
	sendtest.Suite{Delivery: testkit.Notes(), Told: told, Reads: 1, Writes: 1}.Run(t)
}

// told returns who has a note of a post, as often as it was written.
func told(ctx context.Context, client *firestore.Client, post string) (readers []string, err error) {
	docs, err := client.Collection("notes").Where("post", "==", post).Documents(ctx).GetAll()
	for _, doc := range docs {
		for range doc.Data()["times"].(int64) {
			readers = append(readers, doc.Data()["reader"].(string))
		}
	}
	return readers, err
}

// world is a database of the test's own, without triggers, and a process.
type world struct {
	*testkit.App
	testkit.Worker
	opened atomic.Int64 // number of processes so far
}

// newWorld makes a world whose posts are brought by notes alone, unless cfg has other deliveries.
func newWorld(t *testing.T, cfg schema.Config) *world {
	t.Helper()
	cfg.NoOwnPosts = true
	if cfg.Deliveries == nil {
		cfg.Deliveries = []schema.Delivery{testkit.Notes()}
	}
	w := &world{App: testkit.OpenApp(t, cfg)}
	w.Worker = w.open()
	return w
}

// open starts another process. Its clock is ahead of the leases of earlier ones.
func (w *world) open(interceptors ...wire.Interceptor) testkit.Worker {
	w.T.Helper()
	return w.App.Worker(time.Duration(w.opened.Add(1))*2*chunker.DefaultLease, interceptors...)
}

func (w *world) set(path string, data map[string]any) {
	w.T.Helper()
	w.Must(w.Client.Doc(path).Set(w.T.Context(), data))
}

// write writes a photo by ada to her followers, and to others.
func (w *world) write(p string, to ...string) {
	w.T.Helper()
	w.acquaint("ada", to...)
	w.set("posts/"+p, map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "kind": "photo", "to": append([]string{}, to...), "createdAt": firestore.ServerTimestamp})
}

// acquaint makes people follow an author, by their edges alone.
func (w *world) acquaint(author string, followers ...string) {
	w.T.Helper()
	for _, f := range followers {
		w.set("users/"+f+"/following/"+author, map[string]any{"indexId": schema.IndexID(1)})
	}
}

// crowd writes index documents with followers of an author, as if all had followed.
func (w *world) crowd(author string, parts ...[]string) {
	w.T.Helper()
	documents := map[string]map[string]any{}
	var ids []string
	for n, readers := range parts {
		readers = slices.Clone(readers)
		slices.Reverse(readers) // index documents have no order
		ids = append(ids, schema.IndexID(n+1))
		documents["users/"+author+"/followers_index/"+ids[n]] = map[string]any{
			"followers": append([]string{}, readers...), "count": len(readers), "sizeBytes": schema.IDsBytes(readers), "version": time.Now().UnixNano(), "changes": []any{}, "backfilled": true,
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

// event handles the event of a post.
func (w *world) event(post string) {
	w.T.Helper()
	w.OK(w.Index.Deliveries.Post(w.T.Context(), post))
}

// brought handles a post's event twice, and runs all jobs. Then it repeats that.
func (w *world) brought(post string) {
	w.T.Helper()
	for range 2 {
		w.event(post)
		w.event(post)
		w.OK(w.Ends(w.App))
	}
}

// jobOf returns the id of the job that brings a post.
func jobOf(post string) string { return schema.SendJobID(post, testkit.Notes().Name) }

// wantReaders checks who has a note of a post. Nobody may have two.
func (w *world) wantReaders(post string, want ...string) {
	w.T.Helper()
	got, err := told(w.T.Context(), w.Client, post)
	w.OK(err)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.SortSlices(func(a, b string) bool { return a < b })); diff != "" {
		w.T.Errorf("%s was told to (-want +got):\n%s", post, diff)
	}
}
