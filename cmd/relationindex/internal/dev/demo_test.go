package dev

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/cmd/relationindex/internal/operate"
)

func TestDemoStepAsText(t *testing.T) {
	var out strings.Builder
	d := &demo{out: &out}
	at := time.Date(2026, 7, 1, 9, 30, 0, 0, time.UTC)
	feed := []operate.Entry{{PostID: "p1", UserID: "alice", CreatedAt: at, Fields: map[string]any{"text": "Good morning, everyone"}}}
	for _, step := range []result{
		{step: 1, say: "nothing yet", reader: "bob"},
		{step: 2, say: "bob follows", reader: "bob", feed: feed, events: 1, seconds: 0.5, indexDocuments: 2, relations: 3},
	} {
		if err := d.show(step); err != nil {
			t.Fatal(err)
		}
	}
	want := `
1. nothing yet
   0 events in 0.00 s; now 0 index documents, 0 relations
   the feed of bob is empty

2. bob follows
   1 event in 0.50 s; now 2 index documents, 3 relations
   the feed of bob:
      TIME   AUTHOR  TEXT
      09:30  alice   Good morning, everyone
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
