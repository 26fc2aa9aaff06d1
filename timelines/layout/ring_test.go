package layout

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// kept is a timeline in memory: what a plan would write.
type kept struct {
	open   Document
	closed map[string]Document
}

// add plans and applies additions, and returns how many closed buckets the plan asked for.
func (k *kept) add(r Ring, entries []Entry) (asked int) {
	b := newBuckets(r, k.open)
	for {
		b.reset()
		unknown := b.plan(b.missing(entries))
		if unknown == "" {
			break
		}
		asked++
		b.closed[unknown] = k.closed[unknown]
	}
	for name, s := range b.shut {
		k.closed[name] = Document{Exists: true, Entries: s.entries, Posts: postsOf(s.entries), Sequence: s.sequence}
	}
	k.open = Document{Exists: true, Entries: b.entries, Sequence: b.sequence, Total: b.total, Ring: r}
	return asked
}

// list is the posts of the timeline, those that came last first, and their number.
func (k *kept) list(r Ring) (ids []string, n int64) {
	buckets := []Document{k.open}
	for s := k.open.Sequence - 1; s >= r.Oldest(k.open.Sequence); s-- {
		buckets = append(buckets, k.closed[r.Slot(s)])
	}
	for _, b := range buckets {
		for _, e := range b.Sorted() {
			ids = append(ids, e.Post)
			n++
		}
	}
	return ids, n
}

// A ring keeps at least the newest cap entries and at most a bucket more, each once, in the
// order in which they came. The total is their number.
func TestARingKeepsTheNewest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 4).Draw(t, "size")
		slots := rapid.IntRange(0, 4).Draw(t, "slots")
		r := Ring{size, int64(slots)}
		k := &kept{open: Document{Entries: map[string]Entry{}}, closed: map[string]Document{}}
		var came []string
		for range rapid.IntRange(1, 12).Draw(t, "calls") {
			var entries []Entry
			for range rapid.IntRange(1, 3*size).Draw(t, "entries") {
				p := fmt.Sprintf("p%03d", len(came))
				entries = append(entries, Entry{Post: p, At: int64(len(came))})
				came = append(came, p)
			}
			if asked := k.add(r, entries); asked > len(entries) {
				t.Fatalf("%d closed buckets are read for %d entries", asked, len(entries))
			}
		}
		got, n := k.list(r)
		want := slices.Clone(came)
		slices.Reverse(want)
		if slots > 0 {
			if len(got) > (slots+1)*size || len(got) < min(len(came), slots*size) {
				t.Fatalf("a cap of %d in buckets of %d keeps %d of %d", slots*size, size, len(got), len(came))
			}
			want = want[:len(got)]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if k.open.Total != n {
			t.Fatalf("the total is %d of %d", k.open.Total, n)
		}
	})
}

func TestNamesOfBuckets(t *testing.T) {
	t.Parallel()
	r := Ring{Size: 1, Slots: 1000}
	for sequence, want := range map[int64]string{1: "past-00000001", 999: "past-00000999", 1000: "past-00000000", 1001: "past-00000001"} {
		if got := r.Slot(sequence); got != want || !isBucket(got) || got <= OpenID {
			t.Errorf("the bucket %d is %s, want %s, after %s", sequence, got, want, OpenID)
		}
	}
	for _, id := range []string{"past-", "past-x", "past--1", "p1", "", "2026-11-23"} {
		if isBucket(id) {
			t.Errorf("%q is the name of a bucket", id)
		}
	}
}

// What was closed a moment before a post was created may hold it: clocks differ.
func TestWhatMayHold(t *testing.T) {
	t.Parallel()
	born := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for after, want := range map[time.Duration]bool{time.Hour: true, 0: true, -time.Millisecond: true, -ClockMargin: true, -ClockMargin - 1: false, -time.Hour: false} {
		if got := mayHold(born.Add(after), born); got != want {
			t.Errorf("closed %v after: %t, want %t", after, got, want)
		}
	}
}

// A bucket of large entries is closed early; an entry larger than that has one of its own.
func TestLargeEntriesCloseABucket(t *testing.T) {
	t.Parallel()
	r := Ring{Size: 50}
	large := func(p string, bytes int) Entry {
		return Entry{Post: p, Copies: map[string]any{"text": string(make([]byte, bytes))}}
	}
	k := &kept{open: Document{Entries: map[string]Entry{}}, closed: map[string]Document{}}
	k.add(r, []Entry{large("a", 100_000), large("b", 100_000), large("c", 100_000), large("d", 300_000), large("e", 1)})
	var got []int
	for s := int64(1); s < k.open.Sequence; s++ {
		got = append(got, len(k.closed[r.Slot(s)].Entries))
	}
	if got = append(got, len(k.open.Entries)); !slices.Equal(got, []int{2, 1, 1, 1}) {
		t.Errorf("buckets have %v entries, want 2, 1, 1, 1", got)
	}
}
