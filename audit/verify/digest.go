package verify

import (
	"hash/maphash"
	"sort"
	"strings"
)

// setDigest distinguishes sets, in any order, by the number of items and the sums of two
// hashes of each.
type setDigest struct {
	n    int
	a, b uint64
}

func (d *setDigest) add(h setDigest) {
	d.n += h.n
	d.a += h.a
	d.b += h.b
}

// hasher hashes with its own secrets, so that nobody can choose ids with equal digests.
type hasher struct{ a, b maphash.Seed }

func newHasher() hasher { return hasher{maphash.MakeSeed(), maphash.MakeSeed()} }

// place returns the digest of one follower in index document i, or of the follower alone
// if i is "".
func (h hasher) place(i, f string) setDigest {
	sum := func(seed maphash.Seed) uint64 {
		var m maphash.Hash
		m.SetSeed(seed)
		_, _ = m.WriteString(i)
		_ = m.WriteByte(0)
		_, _ = m.WriteString(f)
		return m.Sum64()
	}
	return setDigest{1, sum(h.a), sum(h.b)}
}

// places returns the digest of followers in index document i.
func (h hasher) places(i string, followers []string) (d setDigest) {
	for _, f := range followers {
		d.add(h.place(i, f))
	}
	return d
}

// idRange holds the digests of an author's followers with ids from from, up to the next
// range's. If all documents agree, follows equals edges, and placed equals named.
type idRange struct {
	from    string
	follows setDigest // of follower documents
	edges   setDigest // of edges, with any content
	placed  setDigest // of followers in index documents, with the index document
	named   setDigest // of edges, with the index document that the edge names
}

func (r idRange) sound() bool { return r.follows == r.edges && r.placed == r.named }

// verifiedAuthor holds the data that verify keeps about an author. It has no entry for each follower.
type verifiedAuthor struct {
	// indexes holds the summaries with which relations must agree, by index id.
	indexes map[string]indexSummary

	ranges []idRange // sorted by from; the first from is ""
	last   string    // the greatest follower id so far
}

// indexSummary holds the values with which the relations of an index document must agree.
type indexSummary struct {
	version   int64
	sizeBytes int // computed from its followers
	followers setDigest
}

// follow counts a follower. If the range is full (size followers), and f is the greatest
// id so far, f begins a new range.
func (a *verifiedAuthor) follow(f string, size int, h hasher) {
	r := a.in(f)
	if r.follows.n >= size && f > a.last {
		a.ranges = append(a.ranges, idRange{from: strings.Clone(f)})
		r = &a.ranges[len(a.ranges)-1]
	}
	a.last = max(a.last, f)
	r.follows.add(h.place("", f))
}

// in returns the range of an id.
func (a *verifiedAuthor) in(f string) *idRange {
	if len(a.ranges) == 0 {
		a.ranges = append(a.ranges, idRange{})
	}
	return &a.ranges[a.rangeOf(f)]
}

func (a *verifiedAuthor) rangeOf(f string) int {
	return sort.Search(len(a.ranges), func(n int) bool { return a.ranges[n].from > f }) - 1
}
