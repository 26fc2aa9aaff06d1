package functions_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

// A job invokes OnJobWritten at most twice a hop, and twice beside: each write of its document
// is an event, and none is delivered again. An event without a step reads nothing.
func TestInvocationsOfAJob(t *testing.T) {
	t.Parallel()
	const fans, posts = 8, 4
	for name, c := range map[string]struct {
		kind string
		do   func(*app)
	}{
		"a post to many index documents": {"relations.post", func(a *app) { a.Post("new", "ada", day) }},
		"a purge":                        {"relations.purge", func(a *app) { a.DeleteAccount("ada") }},
		"a profile": {"relations.profile", func(a *app) {
			a.Profile("ada", map[string]any{"displayName": "Ada II"})
		}},
	} {
		for _, step := range []time.Duration{schema.DefaultStep, time.Nanosecond} {
			t.Run(fmt.Sprintf("%s, steps of %v", name, step), func(t *testing.T) {
				t.Parallel()
				a, log := newReportingApp(t, schema.Config{NoOwnPosts: true, Capacity: 1, InlineLimit: 1, Chunk: 3, Step: step, AuthorFields: []string{"displayName=authorName"}})
				a.Profile("ada", map[string]any{"displayName": "Ada"})
				for n := range posts {
					a.Post(fmt.Sprintf("p%02d", n), "ada", day)
				}
				a.Settle()
				for n := range fans {
					a.Must(a.Client.Doc(fmt.Sprintf("users/ada/followers/f%02d", n)).Set(t.Context(), map[string]any{"createdAt": day}))
				}
				a.Settle()
				before := a.hopsOf(c.kind)
				log.Reset()
				c.do(a)
				a.Settle()
				total := a.hopsOf(c.kind) - before
				if total < 1 || step < time.Second && total < 3 {
					t.Errorf("%d hops", total)
				}
				var calls int64
				for _, l := range runs(t, log) {
					if l.Function != "OnJobWritten" || l.Operation != "job:"+c.kind {
						continue
					}
					calls++
					if l.Writes+l.Deletes == 0 && l.Reads > 0 {
						t.Errorf("an event without a step: %+v", l)
					}
				}
				if calls == 0 || calls > 2*total+2 {
					t.Errorf("%d invocations for %d hops, want at most %d", calls, total, 2*total+2)
				}
				t.Logf("%d invocations for %d hops", calls, total)
			})
		}
	}
}

// hopsOf returns the hops of all jobs of a kind.
func (a *app) hopsOf(kind string) (hops int64) {
	a.T.Helper()
	jobs, err := chunker.New(a.Client, chunker.Options{}).List(a.T.Context(), 100, chunker.Done)
	if err != nil {
		a.T.Fatal(err)
	}
	for _, job := range jobs {
		if job.Kind == kind {
			hops += job.Hop
		}
	}
	return hops
}
