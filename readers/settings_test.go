package readers

import (
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/schema"
)

func TestHides(t *testing.T) {
	s := Settings{
		Hide: []string{"*/photo", "bob/*", "ann/event", "both/*"},
		Show: []string{"ann/*", "bob/question", "both/*", "no slash"},
	}
	for post, want := range map[string]bool{
		"zoe/photo": true, "zoe/event": false, "zoe/": false,
		"bob/photo": true, "bob/": true, "bob/question": false, // the kind of one author before all of theirs
		"ann/photo": false, "ann/event": true, "ann/": false, // the author's word before the general one
		"both/": true, // on equal, hide
	} {
		author, kind, _ := strings.Cut(post, "/")
		if got := s.Hides(author, kind); got != want {
			t.Errorf("%s: hidden is %t, want %t", post, got, want)
		}
	}
	if !(Settings{Hide: []string{"*/*"}, Show: []string{"*/photo"}}).Hides("a", "event") {
		t.Error("*/* does not hide an event")
	}
	if (Settings{Show: []string{"*/*"}}).Hides("a", "b") || (Settings{}).Hides("a", "") {
		t.Error("without a pattern, something is hidden")
	}
}

func TestIdle(t *testing.T) {
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	db := &schema.Database{Config: schema.Config{NoOwnPosts: true, Idle: time.Hour}}
	for seen, want := range map[time.Time]bool{
		{}: false, now: false, now.Add(-time.Hour): false, now.Add(-time.Hour - 1): true, now.Add(time.Hour): false,
	} {
		if got := (Settings{SeenAt: seen}).Idle(now, db); got != want {
			t.Errorf("seen %v: idle is %t, want %t", seen, got, want)
		}
	}
	for since, want := range map[time.Time]bool{{}: false, now: false, now.Add(-time.Hour): false, now.Add(-time.Hour - 1): true} {
		db.SetIdleSince(since)
		if got := (Settings{}).Idle(now, db); got != want {
			t.Errorf("never seen, and on since %v: idle is %t, want %t", since, got, want)
		}
		if (Settings{SeenAt: now}).Idle(now, db) {
			t.Errorf("somebody who is here is idle, on since %v", since)
		}
	}
	db.Config.Idle = 0
	db.SetIdleSince(now.Add(-1000 * time.Hour))
	if (Settings{SeenAt: now.Add(-1000 * time.Hour)}).Idle(now, db) || (Settings{}).Idle(now, db) {
		t.Error("somebody is idle, though nobody is left out")
	}
}

// A server may write what rules reject.
func TestPatternsAreBounded(t *testing.T) {
	values := []any{1, nil, []any{"a/b"}, map[string]any{}, "ann/photo"}
	if got := patterns(values); !slices.Equal(got, []string{"ann/photo"}) {
		t.Errorf("patterns %q", got)
	}
	for range 10_000 {
		values = append(values, "x/y")
	}
	if got := patterns(values); len(got) > maxPatterns {
		t.Errorf("%d patterns count, want at most %d", len(got), maxPatterns)
	}
	long := "x/" + strings.Repeat("y", maxListBytes/2-3)
	if got := patterns([]any{long, long, "ann/photo"}); !slices.Equal(got, []string{long, long}) {
		t.Errorf("%d patterns of all bytes that a list may have count, want 2", len(got))
	}
	if got := patterns([]any{"ann/photo", long, long, "x/y"}); !slices.Equal(got, []string{"ann/photo", long}) {
		t.Errorf("%d patterns count, want those before the one that is too much", len(got))
	}
	for _, value := range []any{nil, "ann/photo", 3} {
		if got := patterns(value); got != nil {
			t.Errorf("%v has patterns %q", value, got)
		}
	}
}

// Whatever a pattern says, a decision is the same for the same post, and show alone hides nothing.
func FuzzHides(f *testing.F) {
	f.Add("ann", "photo", "*/photo", "ann/*")
	f.Add("", "/", "//", "*/")
	f.Fuzz(func(t *testing.T, author, kind, hide, show string) {
		s := Settings{Hide: []string{hide}, Show: []string{show}}
		hides := s.Hides(author, kind)
		if hides && !(Settings{Hide: s.Hide}).Hides(author, kind) {
			t.Error("show has hidden a post")
		}
		if (Settings{Show: []string{hide, show}}).Hides(author, kind) {
			t.Error("show alone hides a post")
		}
		if hides != s.Hides(author, kind) {
			t.Error("two answers")
		}
	})
}

// Batches count the settings of their readers, if they read any, and still run side by side.
func TestHeld(t *testing.T) {
	db := &schema.Database{}
	if n := Held(db); n != 0 {
		t.Errorf("without settings, a reader holds %d bytes", n)
	}
	db.Config.ReaderSettings = true
	const batches, readers, item = 24, 100, 1 << 10
	if n := Held(db); n == 0 || batches*readers*(item+n) > schema.MemoryBudget {
		t.Errorf("a reader holds %d bytes: %d batches do not fit", n, batches)
	}
}
