package files

import (
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// pair is a row.
type pair struct{ author, follower string }

func rowsOf(pairs []pair) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, p := range pairs {
			if !yield(p.author, p.follower) {
				return
			}
		}
	}
}

// Every row comes once, in parts whose sizes are bounded and whose authors are whole.
func TestWindowsAndPartsHoldEveryRowOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[a-z]{1,2}`)
		pairs := rapid.SliceOf(rapid.Custom(func(t *rapid.T) pair {
			return pair{id.Draw(t, "author"), "f" + id.Draw(t, "follower")}
		})).Draw(t, "rows")
		limit := rapid.IntRange(1, 3000).Draw(t, "limit")
		var got []pair
		for w := range windows(rowsOf(pairs), limit) {
			if len(w.edges) == 0 || len(w.edges) > 1 && w.bytes > limit {
				t.Fatalf("a window of %d rows has %d bytes, the limit is %d", len(w.edges), w.bytes, limit)
			}
			rows := len(w.edges)
			seen := map[string]bool{}
			last := rows
			for part := range w.parts() {
				for _, follows := range part {
					if seen[follows.Author] {
						t.Fatalf("author %s twice", follows.Author)
					}
					if len(follows.Followers) > last {
						t.Fatalf("author %s has %d rows and comes after one with %d", follows.Author, len(follows.Followers), last)
					}
					seen[follows.Author], last = true, len(follows.Followers)
					for _, f := range follows.Followers {
						got = append(got, pair{follows.Author, f})
						rows--
					}
				}
			}
			if rows != 0 {
				t.Fatalf("%d rows of a window are in no part", rows)
			}
		}
		byText := func(a, b pair) int { return strings.Compare(a.author+" "+a.follower, b.author+" "+b.follower) }
		slices.SortFunc(got, byText)
		slices.SortFunc(pairs, byText)
		if !slices.Equal(got, pairs) {
			t.Fatalf("rows %v became %v", pairs, got)
		}
	})
}

func TestPartsAreBounded(t *testing.T) {
	w := &window{numbers: map[string]uint32{}}
	for author := range 3 * maxAuthors {
		w.add(fmt.Sprint("a", author), "f")
	}
	for follower := range 2 * maxRows {
		w.add("popular", fmt.Sprint("f", follower))
	}
	parts := 0
	for part := range w.parts() {
		rows := 0
		for _, follows := range part {
			rows += len(follows.Followers)
		}
		if len(part) > maxAuthors || len(part) > 1 && rows > maxRows {
			t.Errorf("a part of %d authors and %d rows", len(part), rows)
		}
		parts++
	}
	if parts != 4 {
		t.Errorf("%d parts, want 1 of the popular author and 3 of the others", parts)
	}
}

// A window's memory estimate is at least its actual memory.
func TestWindowEstimatesItsMemory(t *testing.T) {
	for name, follower := range map[string]func(n int) string{
		"many accounts": func(n int) string { return fmt.Sprintf("account-%020d", n) },
		"few accounts":  func(n int) string { return fmt.Sprintf("account-%020d", n%1000) },
		"long lines":    func(n int) string { return fmt.Sprintf("account-%020d%1000d", n, n)[:28] },
	} {
		rows := func(yield func(string, string) bool) {
			for n := 0; ; n++ {
				if !yield(fmt.Sprint("author", n%300), follower(n)) {
					return
				}
			}
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for w := range windows(rows, 8<<20) {
			runtime.GC()
			runtime.ReadMemStats(&after)
			if taken := int(after.HeapAlloc) - int(before.HeapAlloc); taken > 8<<20 || taken < 1<<20 { //nolint:gosec // far from 1<<63
				t.Errorf("%s: %d rows take %d bytes, said to be %d", name, len(w.edges), taken, w.bytes)
			} else {
				t.Logf("%s: %d rows take %d bytes, said to be %d", name, len(w.edges), taken, w.bytes)
			}
			break
		}
	}
}

// Windows are made of rows when they are asked for, and rows are not read beyond one.
func TestRowsAreReadAWindowAtATime(t *testing.T) {
	read := 0
	rows := func(yield func(string, string) bool) {
		for read = 1; read <= 1000; read++ {
			if !yield("author", fmt.Sprint("f", read)) {
				return
			}
		}
	}
	for w := range windows(rows, 1000) {
		if want := len(w.edges) + 1; read != want {
			t.Errorf("%d rows were read for a window of %d", read, len(w.edges))
		}
		break
	}
	if read > 100 {
		t.Errorf("%d rows were read", read)
	}
}
