package relations

import (
	"hash/maphash"
	"sort"
	"strings"
)

// setDigest tells sets apart whatever their order: the number of items and the sums of two hashes of each.
type setDigest struct {
	n    int
	a, b uint64
}

func (d *setDigest) add(h setDigest) {
	d.n += h.n
	d.a += h.a
	d.b += h.b
}

// hasher hashes with secrets of its own: nobody can choose ids whose digests agree.
type hasher struct{ a, b maphash.Seed }

func newHasher() hasher { return hasher{maphash.MakeSeed(), maphash.MakeSeed()} }

// place is the digest of one follower in index document i; "" is that of the follower alone.
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

// places is the digest of followers in index document i.
func (h hasher) places(i string, followers []string) (d setDigest) {
	for _, f := range followers {
		d.add(h.place(i, f))
	}
	return d
}

// idRange is what verify knows of the followers of an author whose ids are at least from, and below the next range's.
// Where all agrees, follows is mirrors, and placed is named.
type idRange struct {
	from    string
	follows setDigest // of follower documents
	mirrors setDigest // of mirrors, whatever is in them
	placed  setDigest // of members of index documents, with these
	named   setDigest // of mirrors, with the index document that each names
}

func (r idRange) sound() bool { return r.follows == r.mirrors && r.placed == r.named }

// verifiedAuthor is what verify keeps of an author: nothing that grows with each follower.
type verifiedAuthor struct {
	// indexes is what relations have to agree with, by index id.
	indexes map[string]indexSummary

	ranges []idRange // by from; the first is ""
	last   string    // the greatest follower so far
}

// indexSummary is what relations of an index document have to agree with.
type indexSummary struct {
	version   int64
	sizeBytes int // of its followers, whatever it says itself
	followers setDigest
}

// follow counts one who follows. A range that has size of them ends there, if none came that is greater.
func (a *verifiedAuthor) follow(f string, size int, h hasher) {
	r := a.in(f)
	if r.follows.n >= size && f > a.last {
		a.ranges = append(a.ranges, idRange{from: strings.Clone(f)})
		r = &a.ranges[len(a.ranges)-1]
	}
	a.last = max(a.last, f)
	r.follows.add(h.place("", f))
}

// in is the range that has the id.
func (a *verifiedAuthor) in(f string) *idRange {
	if len(a.ranges) == 0 {
		a.ranges = append(a.ranges, idRange{})
	}
	return &a.ranges[a.rangeOf(f)]
}

func (a *verifiedAuthor) rangeOf(f string) int {
	return sort.Search(len(a.ranges), func(n int) bool { return a.ranges[n].from > f }) - 1
}
