package layout

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// kept is a timeline in memory.
type kept struct{ *Trial }

func newKept(r Ring) kept { return kept{NewTrial(r, false, nil)} }

// add returns how many closed buckets the plan had to know.
func (k kept) add(entries []Entry, optional bool) (asked int) {
	reads, _ := k.Add(entries, optional)
	return reads - 1
}

// list returns the posts as a page reads them, and fails if the buckets do not agree with themselves.
func (k kept) list(t *rapid.T) (ids []string) {
	t.Helper()
	for n, wrong := range (Buckets{Ring: k.ring}).Disorder(k.Documents()) {
		t.Fatalf("%s: %s", k.Documents()[n].Ref.ID, wrong)
	}
	buckets := []Document{k.open}
	for s := k.open.Sequence - 1; s >= k.ring.Oldest(k.open.Sequence); s-- {
		buckets = append(buckets, k.closed[k.ring.Slot(s)])
	}
	for _, b := range buckets {
		for _, e := range slices.SortedFunc(maps.Values(b.Entries), HighestFirst) {
			ids = append(ids, e.Post)
		}
	}
	if k.open.Total != int64(len(ids)) {
		t.Fatalf("the total is %d of %d", k.open.Total, len(ids))
	}
	if again := slices.Compact(slices.Sorted(slices.Values(ids))); len(again) != len(ids) {
		t.Fatalf("an entry is there twice: %v", ids)
	}
	return ids
}

// arrivals draws entries that come in any order, some at the same time, and some twice.
func arrivals(t *rapid.T) (calls [][]Entry) {
	for range rapid.IntRange(1, 20).Draw(t, "calls") {
		var entries []Entry
		for range rapid.IntRange(1, 6).Draw(t, "entries") {
			at := rapid.Int64Range(-20, 20).Draw(t, "at")
			entries = append(entries, Entry{Post: fmt.Sprintf("%d-%d", at, rapid.IntRange(0, 2).Draw(t, "post")), At: at})
		}
		calls = append(calls, entries)
	}
	return calls
}

func newestFirst(e, f Entry) int { return placeOf(f).compare(placeOf(e)) }

func anyRing(t *rapid.T) Ring {
	return Ring{rapid.IntRange(1, 4).Draw(t, "size"), int64(rapid.IntRange(0, 4).Draw(t, "slots"))}
}

// In any order of arrival, a ring has the newest cap entries by their places, each once and in the
// order of at, and the right total. Without a cap, it has all entries.
func TestRingKeepsNewestEntries(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := anyRing(t)
		k := newKept(r)
		came := map[string]Entry{}
		ascending := rapid.Bool().Draw(t, "ascending")
		all := arrivals(t)
		if ascending { // as posts come
			slices.SortFunc(all, func(c, d []Entry) int { return HighestFirst(d[0], c[0]) })
			for n := range all {
				all[n] = all[n][:1]
			}
		}
		for _, entries := range all {
			asked := k.add(entries, false)
			if most := len(entries) * (int(k.open.Sequence) + 2); asked > most {
				t.Fatalf("%d closed buckets are read for %d entries", asked, len(entries))
			}
			for _, e := range entries {
				came[e.Post] = e
			}
			got, want := k.list(t), slices.SortedFunc(maps.Values(came), newestFirst)
			if !slices.IsSortedFunc(got, func(p, q string) int { return cmp.Compare(came[q].At, came[p].At) }) {
				t.Fatalf("%v is not in the order of at", got)
			}
			slices.SortFunc(got, func(p, q string) int { return newestFirst(came[p], came[q]) })
			if limit := r.Size * int(r.Slots); limit > 0 && len(got) < min(limit, len(want)) {
				t.Fatalf("%d of %d entries are there, with a cap of %d", len(got), len(want), limit)
			} else if limit > 0 && ascending && len(got) > limit+r.Size {
				t.Fatalf("%d entries that came in order are there, with a cap of %d and buckets of %d", len(got), limit, r.Size)
			} else if limit == 0 && len(got) != len(want) {
				t.Fatalf("%d of %d entries are there", len(got), len(want))
			}
			at := 0
			for n, e := range want { // the newest cap are the first ones there, others may be
				if at < len(got) && got[at] == e.Post {
					at++
				} else if r.Slots == 0 || n < r.Size*int(r.Slots) {
					t.Fatalf("%s is not there: %v of %v", e.Post, got, want)
				}
			}
			if at != len(got) {
				t.Fatalf("%v has what never came: %v", got, want)
			}
		}
	})
}

// A removal removes the named entries and no others. Later entries are stored once, and in order.
// Optional entries are stored if there is room for them.
func TestRingKeepsOrderAfterRemovals(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := anyRing(t)
		k := newKept(r)
		for _, entries := range arrivals(t) {
			was := k.list(t)
			gone := map[string]bool{}
			for n := range was {
				if rapid.IntRange(0, 3).Draw(t, "gone") == 0 {
					gone[was[n]] = true
					k.Remove(was[n])
				}
			}
			was = slices.DeleteFunc(was, func(p string) bool { return gone[p] })
			if diff := gocmp.Diff(append([]string{}, was...), append([]string{}, k.list(t)...)); diff != "" {
				t.Fatalf("after a removal of %v (-want +got):\n%s", gone, diff)
			}
			k.add(entries, rapid.Bool().Draw(t, "optional"))
			got := k.list(t)
			for _, e := range entries { // those that are there are the newest
				if !slices.Contains(got, e.Post) && len(got) < r.Size*int(r.Slots) && !slices.Contains(was, e.Post) && k.open.Sequence <= r.Slots {
					t.Fatalf("%s did not come, though there is room: %v", e.Post, got)
				}
			}
			if r.Slots == 0 && len(got) < len(was) {
				t.Fatalf("without a cap, %v became %v", was, got)
			}
		}
	})
}

// Buckets that were in no order are, when they are arranged anew: with the newest that the ring keeps.
func TestArrangedBuckets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r, all := anyRing(t), map[string]Entry{}
		for _, entries := range arrivals(t) {
			for _, e := range entries {
				all[e.Post] = e
			}
		}
		documents, _ := r.Arranged(all)
		n := 0
		for _, data := range documents {
			n += len(data[FieldPosts].([]string))
		}
		if open := documents[OpenID]; open[FieldTotal] != int64(n) || open[FieldSequence].(int64) > 1 && (documents[r.Slot(1)] == nil || open[FieldFrom] == nil) {
			t.Fatalf("%d entries are in %v", n, documents)
		}
		if limit := r.Size * int(r.Slots); n != len(all) && (limit == 0 || n < limit || n > limit+r.Size) {
			t.Fatalf("%d of %d entries are there, with a cap of %d", n, len(all), limit)
		}
	})
}

// A late entry costs few reads, however long the timeline is, and others near it none.
func TestLateEntryReadsFewBuckets(t *testing.T) {
	t.Parallel()
	const buckets, size = 1000, 10
	k := newKept(Ring{Size: size})
	for n := range buckets * size {
		k.add([]Entry{{Post: fmt.Sprintf("p%06d", n), At: int64(10 * n)}}, false)
	}
	last := int64(10 * buckets * size)
	for _, c := range []struct{ at, reads int64 }{
		{last, 1}, // it closes open
		{last - 95, 1}, {last - 195, 2}, {5, 3}, {-5, 3}, {last / 2, 13}, {last / 3, 13},
	} {
		reads := k.add([]Entry{{Post: "late", At: c.at}, {Post: "later", At: c.at + 1}}, false)
		if int64(reads) > c.reads {
			t.Errorf("an entry at %d of %d reads %d closed buckets, want %d at most", c.at, last, reads, c.reads)
		}
		k.Remove("late")
		k.Remove("later")
	}
}

// An optional entry does not make a closed bucket large. A required one is stored.
func TestLargeClosedBucketRejectsOptionalEntries(t *testing.T) {
	t.Parallel()
	k := newKept(Ring{Size: 2})
	for n := range 4 {
		k.add([]Entry{{Post: fmt.Sprint("p", n), At: int64(1000 * n)}}, false)
	}
	for n := range 1000 {
		k.add([]Entry{{Post: fmt.Sprintf("o%04d", n), At: int64(n)}}, true)
	}
	if n := len(k.closed[k.ring.Slot(1)].Entries); n != maxBucketBytes/usualBytes {
		t.Errorf("a closed bucket has %d entries", n)
	}
	k.add([]Entry{{Post: "must", At: 7}}, false)
	if _, ok := k.closed[k.ring.Slot(1)].Entries["must"]; !ok {
		t.Error("an entry that must come did not")
	}
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

func TestPlacesAreReadAsTheyAreStored(t *testing.T) {
	t.Parallel()
	for _, p := range []place{{1764104871000000, "p12"}, {-62135596800000000, "a b"}, {0, "1"}} {
		if got := readPlace(p.String()); got != p {
			t.Errorf("%v is read as %v", p, got)
		}
	}
	for _, damaged := range []any{nil, 7, "", "x/p", "7", "7/"} {
		if got := readPlace(damaged); !got.none() {
			t.Errorf("%v is read as %v", damaged, got)
		}
	}
}

// A bucket of large entries is closed early; an entry larger than that has one of its own.
func TestLargeEntriesCloseABucket(t *testing.T) {
	t.Parallel()
	k := newKept(Ring{Size: 50})
	large := func(p string, bytes int) Entry {
		return Entry{Post: p, At: int64(p[0]), Copies: map[string]any{"text": string(make([]byte, bytes))}}
	}
	k.add([]Entry{large("a", 100_000), large("b", 100_000), large("c", 100_000), large("d", 300_000), large("e", 1)}, false)
	var got []int
	for s := int64(1); s < k.open.Sequence; s++ {
		got = append(got, len(k.closed[k.ring.Slot(s)].Entries))
	}
	if got = append(got, len(k.open.Entries)); !slices.Equal(got, []int{2, 1, 1, 1}) {
		t.Errorf("buckets have %v entries, want 2, 1, 1, 1", got)
	}
}
