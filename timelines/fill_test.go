package timelines_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/devhost/faults"
)

// Timelines that are turned on get the newest posts of all whom a reader follows and those
// that name them, in order. The fill may be killed at each of its writes, and is exact when
// it has run to its end.
func TestFill(t *testing.T) {
	t.Parallel()
	for name, opts := range layouts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts.Backfill = 0 // nothing comes with a follow
			w := newWorld(t, opts)
			for n := range 6 {
				author := []string{"ada", "eve", "zoe"}[n%3]
				fields := map[string]any{"userId": author, "audience": author, "hidden": n == 4, "createdAt": firestore.ServerTimestamp}
				if author == "zoe" {
					fields["to"] = []string{"r1"}
				}
				w.set(fmt.Sprint("posts/p", n), fields)
			}
			for _, author := range []string{"ada", "eve"} {
				w.set("users/"+author+"/followers/r1", map[string]any{"createdAt": firestore.ServerTimestamp})
				w.must(w.graph.Follow(t.Context(), author, "r1"))
			}
			w.wantFeed("r1")
			deaths := 0
			for at := 1; ; at++ {
				death := faults.NewDeath(at)
				p := w.open(death.Interceptor())
				_, err := p.d.Fill(t.Context(), "r1", []string{"ada", "eve"}, 4)
				if !death.Died() {
					w.must(err)
					break
				}
				if err == nil || errors.Is(err, context.Canceled) {
					t.Errorf("a fill that died ended with %v", err)
				}
				if deaths++; deaths > 20 {
					t.Fatal("it does not end")
				}
			}
			t.Logf("%d deaths", deaths)
			w.wantFeed("r1", "p5", "p3", "p2", "p1")
			n, err := w.d.Fill(t.Context(), "r1", []string{"ada", "eve"}, 4)
			if err != nil || n != 4 {
				t.Errorf("filled again: %d posts, %v", n, err)
			}
			w.wantFeed("r1", "p5", "p3", "p2", "p1")
		})
	}
}
