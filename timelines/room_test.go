package timelines_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/readers"
	"example.com/relationindex/testkit"
)

// Nine strangers with long ids name a reader in more posts of one day than a document can hold. The posts of a person
// whom the reader follows still come. What is left out is
// logged, and neither a check reports it nor a repair brings it.
func TestDayKeepsRoomForFollowed(t *testing.T) {
	t.Parallel()
	w, log := newWorld(t, days), &testkit.SyncBuffer{}
	w.options.Logger = logging.New(log, slog.LevelWarn)
	w.process = w.open()
	w.set("users/r", map[string]any{"name": "R"})
	w.joins("r")
	long := func(n int) string { return fmt.Sprintf("%0128d", n) }
	noon := time.Now().UTC().Truncate(24 * time.Hour).Add(60 * time.Hour) // after the follow
	stranger := strings.Repeat("s", 600)
	name := func(author, kind string, at time.Time) map[string]any {
		return map[string]any{"userId": author, "audience": "", "to": []string{"r"}, "hidden": false, "createdAt": at, "kind": kind}
	}
	documents, ids := map[string]map[string]any{}, []string{}
	for n := range 1650 {
		p := long(n)
		documents["posts/"+p], ids = name("s"+long(n % 9)[1:], strings.Repeat("k", 100), noon.Add(time.Duration(n)*time.Millisecond)), append(ids, p)
	}
	testkit.Write(t, w.client, documents)
	for len(ids) > 0 {
		var some []readers.Reached
		for _, p := range ids[:min(25, len(ids))] {
			r := readers.Reached{}
			r.ID = p
			some = append(some, r)
		}
		ids = ids[len(some):]
		w.must(work.UntilSettled(t.Context(), func() (int, error) { return 0, w.d.Bring(t.Context(), "r", some) }))
	}
	if !strings.Contains(log.String(), "left out of a timeline") {
		t.Error("no line tells of entries that are left out")
	}
	want := map[string]bool{stranger: false}
	for n := range 20 {
		p := "followed" + long(n)[8:]
		w.set("posts/"+p, map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "createdAt": noon.Add(time.Hour), "kind": strings.Repeat("k", 100)})
		want[p] = true
	}
	w.set("posts/"+stranger, name("eve", strings.Repeat("k", 100), noon.Add(2*time.Hour)))
	for p := range want {
		w.must(w.d.Post(t.Context(), p))
	}
	w.wantEntries("r", want)
	for range 2 {
		checked, err := entries.Repair(t.Context(), w.d, entries.Options{Report: func(p entries.Problem) { t.Errorf("%v", p) }})
		w.must(err)
		if checked.Posts > 0 {
			t.Errorf("the repair has brought %d posts", checked.Posts)
		}
	}
}

// wantEntries checks which posts have an entry in a reader's days.
func (w *world) wantEntries(reader string, want map[string]bool) {
	w.t.Helper()
	docs, err := w.client.Collection("users/" + reader + "/timeline").Documents(w.t.Context()).GetAll()
	w.must(err)
	for p, want := range want {
		there := false
		for _, doc := range docs {
			_, err := doc.DataAtPath([]string{"entries", p})
			there = there || err == nil
		}
		if there != want {
			w.t.Errorf("%s has %s: %t, want %t", reader, p, there, want)
		}
	}
}
