package timelines_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

// Between two pages of a backfill the post at which the first one ended gets another createdAt, or
// goes: the second one leaves out no post.
func TestBackfillContinuesWhenCursorMoves(t *testing.T) {
	t.Parallel()
	const n, page = 8, 3
	created := func(n int) time.Time { return time.Date(2026, 11, 1, n, 0, 0, 0, time.UTC) }
	for name, opts := range layouts {
		for _, edit := range []string{"no edit", "it moves to the end", "it moves to the beginning", "it goes"} {
			t.Run(name+", "+edit, func(t *testing.T) {
				t.Parallel()
				opts.Backfill = 100
				w := newWorld(t, opts)
				w.joins("r1")
				write := func(post string, at time.Time) {
					w.set("posts/"+post, map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "createdAt": at})
				}
				missing := map[string]bool{}
				for i := range n {
					write(fmt.Sprint("p", i), created(i+1))
					missing[fmt.Sprint("p", i)] = true
				}
				var backfill chunker.PageFunc
				for _, task := range w.d.Tasks() {
					if task.Kind == schema.KindTimelineFollow {
						backfill = task.Phases[1].Page
					}
				}
				job := chunker.Job{Args: map[string]string{schema.ArgAuthor: "ada", schema.ArgReader: "r1"}}
				first, err := backfill(t.Context(), job, nil, page)
				w.must(err)
				if !first.More || first.Done != page {
					t.Fatalf("the first page has %+v", first)
				}
				switch edit {
				case "it moves to the end":
					write("p2", created(20))
				case "it moves to the beginning":
					write("p2", created(0))
				case "it goes":
					w.remove("posts/p2")
				}
				second, err := backfill(t.Context(), job, first.Last, 100)
				w.must(err)
				if second.More {
					t.Errorf("the second page has %+v", second)
				}
				entries, err := w.newest("r1")
				w.must(err)
				for _, e := range entries {
					delete(missing, e.Post)
				}
				if len(missing) > 0 {
					t.Errorf("missing: %v", missing)
				}
			})
		}
	}
}
