//go:build long

package chaos

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/chunker"
)

func TestSafety(t *testing.T) {
	held := func(holder string, hop, done int64) chunker.Job {
		return chunker.Job{State: chunker.Running, Lease: &chunker.Lease{Holder: holder}, Hop: hop, Done: done, RunGeneration: "1"}
	}
	queued := func(hop, done int64) chunker.Job {
		return chunker.Job{State: chunker.Queued, Hop: hop, Done: done, RunGeneration: "1"}
	}
	waiting := func(hop int64) chunker.Job {
		return chunker.Job{State: chunker.Queued, Hop: hop, RunGeneration: "1", Waits: true}
	}
	again := func(j chunker.Job) chunker.Job { j.RunGeneration = "2"; return j }
	phase := func(n int, j chunker.Job) chunker.Job { j.Phase = n; return j }
	tests := map[string]struct {
		states []chunker.Job
		want   string // part of what it reports; "": nothing
	}{
		"a job of two steps":                  {[]chunker.Job{queued(1, 0), held("a", 1, 0), held("a", 1, 3), queued(2, 6), held("b", 2, 6), held("b", 2, 7)}, ""},
		"a step whose lease has run out":      {[]chunker.Job{queued(1, 0), held("a", 1, 3), held("b", 1, 3), held("b", 1, 6)}, ""},
		"another run counts from the start":   {[]chunker.Job{held("a", 1, 6), again(queued(2, 0)), again(held("b", 2, 3))}, ""},
		"states that were not seen":           {[]chunker.Job{queued(1, 0), queued(4, 2), held("c", 9, 5)}, ""},
		"what has waited begins again":        {[]chunker.Job{held("a", 1, 6), waiting(2), queued(3, 0), held("b", 3, 3)}, ""},
		"a late holder writes":                {[]chunker.Job{held("a", 1, 3), held("b", 1, 3), held("a", 1, 6)}, "holder a wrote it again"},
		"a holder that had handed over":       {[]chunker.Job{held("a", 1, 3), queued(2, 6), held("a", 2, 6)}, "holder a wrote it again"},
		"a hop back":                          {[]chunker.Job{queued(2, 0), queued(1, 0)}, "hop went from 2 back to 1"},
		"progress lost":                       {[]chunker.Job{held("a", 1, 6), held("b", 1, 3)}, "done went from 6 back to 3"},
		"progress lost with a hand-over":      {[]chunker.Job{held("a", 1, 6), queued(2, 3)}, "done went from 6 back to 3"},
		"a phase back":                        {[]chunker.Job{phase(1, held("a", 1, 6)), phase(0, held("a", 1, 6))}, "phase went from 1 back to 0"},
		"the count goes on in the next phase": {[]chunker.Job{phase(0, held("a", 1, 6)), phase(1, held("a", 1, 6)), phase(1, held("a", 1, 8))}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			s := newSafety(func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) })
			for _, state := range tt.states {
				s.see("job", state)
				s.see("another", queued(1, 0)) // which is not confused with it
			}
			all := strings.Join(got, "\n")
			if (all == "") != (tt.want == "") || !strings.Contains(all, tt.want) {
				t.Errorf("reported %q, want %q", all, tt.want)
			}
		})
	}
}

func TestRunsAreCounted(t *testing.T) {
	s := newSafety(t.Errorf)
	s.see("a", chunker.Job{RunGeneration: "1", Hop: 1})
	s.see("a", chunker.Job{RunGeneration: "1", Hop: 2})
	s.see("a", chunker.Job{RunGeneration: "2", Hop: 3})
	s.see("b", chunker.Job{RunGeneration: "1", Hop: 1})
	s.see("b", chunker.Job{RunGeneration: "1", Hop: 2, Sweeps: 1})
	if s.runs != 3 || s.swept != 1 {
		t.Errorf("%d runs and %d sweeps, want 3 and 1", s.runs, s.swept)
	}
}

// Listened to are the jobs that are not done, and how each ends is seen as well. A job that
// is deleted and made again is another.
func TestWatchSeesHowJobsEnd(t *testing.T) {
	parallel(t)
	jobs := start(t, Functions()).Client().Collection("watched") // of no trigger
	reports := make(chan string, 8)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	ended := make(chan error, 1)
	go func() {
		ended <- newSafety(func(format string, args ...any) { reports <- fmt.Sprintf(format, args...) }).watch(ctx, jobs)
	}()
	set := func(id string, state chunker.State, hop any, done int64) {
		t.Helper()
		if _, err := jobs.Doc(id).Set(ctx, map[string]any{"state": state, "hop": hop, "done": done, "runGeneration": "1"}); err != nil {
			t.Fatal(err)
		}
	}
	want := func(part string) {
		t.Helper()
		select {
		case got := <-reports:
			if !strings.Contains(got, part) {
				t.Errorf("reported %q, want %q", got, part)
			}
		case <-ctx.Done():
			t.Fatalf("nothing is reported, want %q", part)
		}
	}
	var marks int64
	seen := func() { // all before it
		t.Helper()
		marks++
		set("none", chunker.Running, "text", marks)
		want("none: not a job")
	}
	seen()
	set("a", chunker.Running, 2, 6)
	seen()
	set("a", chunker.Done, 2, 3)
	want("job a: done went from 6 back to 3")
	set("b", chunker.Running, 2, 6)
	seen()
	if _, err := jobs.Doc("b").Delete(ctx); err != nil {
		t.Fatal(err)
	}
	set("b", chunker.Running, 1, 0)
	seen()
	set("b", chunker.Running, 0, 0)
	want("job b: hop went from 1 back to 0")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// An entry that falls is reported. One that was deleted and created again is another entry.
func TestFallingEntriesAreReported(t *testing.T) {
	const entry, other = "users/ann/timeline/a", "users/bob/timeline/a"
	type seen struct {
		path    string
		created int // which of the entry's lives
		at      int64
	}
	for name, tt := range map[string]struct {
		looks []seen
		want  string // all that is reported
	}{
		"an entry falls":                {[]seen{{entry, 1, 7}, {entry, 1, 5}}, entry + " stands at 5, and stood at 7 before"},
		"it falls after a lift":         {[]seen{{entry, 1, 5}, {entry, 1, 7}, {entry, 1, 6}}, entry + " stands at 6, and stood at 7 before"},
		"a fall is reported once":       {[]seen{{entry, 1, 7}, {entry, 1, 5}, {entry, 1, 5}}, entry + " stands at 5, and stood at 7 before"},
		"an entry stays":                {[]seen{{entry, 1, 7}, {entry, 1, 7}}, ""},
		"a comment lifts it":            {[]seen{{entry, 1, 5}, {entry, 1, 7}}, ""},
		"it is created again":           {[]seen{{entry, 1, 7}, {entry, 2, 5}}, ""},
		"another reader's stands lower": {[]seen{{entry, 1, 7}, {other, 1, 5}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			p := newPlaces(1, func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) })
			for _, s := range tt.looks {
				p.see(s.path, time.Unix(int64(s.created), 0), s.at)
			}
			if all := strings.Join(got, "; "); all != tt.want {
				t.Errorf("reported %q, want %q", all, tt.want)
			}
		})
	}
}
