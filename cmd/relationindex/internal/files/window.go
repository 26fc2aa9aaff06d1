package files

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"example.com/relationindex/audit/load"
)

// DefaultWindow is the most bytes of a file that Direct holds at once, by the
// estimate of window.bytes. A graph of a million follows among a quarter of a
// million accounts fits into one window.
const DefaultWindow = 32 << 20

// Estimates of a window's memory on 64-bit machines. They include the spare capacity of
// a growing slice or map.
const (
	edgeBytes = 10 // two numbers
	nameBytes = 80 // an id's entries in the list and the map, beside its text
)

// window is a part of a file of follows. Each id is held once.
type window struct {
	edges   []edge
	ids     []string
	numbers map[string]uint32 // position of an id in ids
	bytes   int
}

// edge is a follow, by the numbers of the ids.
type edge struct{ author, follower uint32 }

// windows returns the follows of rows (author, follower), in windows of at most limit
// bytes. A larger row has a window of its own. Rows of a window are read when the
// caller requests the window.
func windows(rows iter.Seq2[string, string], limit int) iter.Seq[*window] {
	return func(yield func(*window) bool) {
		w := &window{numbers: map[string]uint32{}}
		for author, follower := range rows {
			if len(w.edges) > 0 && w.bytes+w.cost(author)+w.cost(follower)+edgeBytes > limit {
				if !yield(w) {
					return
				}
				w = &window{numbers: map[string]uint32{}}
			}
			w.add(author, follower)
		}
		if len(w.edges) > 0 {
			yield(w)
		}
	}
}

// cost returns the bytes that id adds to the window.
func (w *window) cost(id string) int {
	if _, ok := w.numbers[id]; ok {
		return 0
	}
	return len(id) + nameBytes
}

func (w *window) add(author, follower string) {
	w.edges = append(w.edges, edge{w.number(author), w.number(follower)})
	w.bytes += edgeBytes
}

func (w *window) number(id string) uint32 {
	n, ok := w.numbers[id]
	if !ok {
		id = strings.Clone(id) // a substring of a line keeps the whole line in memory
		n = uint32(len(w.ids)) //nolint:gosec // 80 bytes each: fewer than 1<<32
		w.bytes += w.cost(id)
		w.numbers[id] = n
		w.ids = append(w.ids, id)
	}
	return n
}

// maxAuthors and maxRows bound a part. maxAuthors bounds the authors that share the
// queries for a whole part. maxRows bounds the follows that a part holds in memory, and
// writes again after an error. All rows of an author are in one part, even above maxRows.
const (
	maxAuthors = 2_000
	maxRows    = 20_000
)

// parts returns the follows of the window by author. Each part is for one call of Adopt.
// Authors with the most followers come first, so that no large author is written alone
// at the end.
func (w *window) parts() iter.Seq[[]load.Follows] {
	return func(yield func([]load.Follows) bool) {
		var part []load.Follows
		rows := 0
		for _, edges := range w.byAuthor() {
			if len(part) > 0 && (len(part) == maxAuthors || rows+len(edges) > maxRows) {
				if !yield(part) {
					return
				}
				part, rows = nil, 0
			}
			follows := load.Follows{Author: w.ids[edges[0].author], Followers: make([]string, len(edges))}
			for n, e := range edges {
				follows.Followers[n] = w.ids[e.follower]
			}
			part = append(part, follows)
			rows += len(edges)
		}
		if len(part) > 0 {
			yield(part)
		}
	}
}

// byAuthor returns the edges of each author, longest list first.
func (w *window) byAuthor() [][]edge {
	slices.SortFunc(w.edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.author, b.author), cmp.Compare(a.follower, b.follower))
	})
	var authors [][]edge
	for from, n := 0, 1; n <= len(w.edges); n++ {
		if n == len(w.edges) || w.edges[n].author != w.edges[from].author {
			authors = append(authors, w.edges[from:n])
			from = n
		}
	}
	slices.SortFunc(authors, func(a, b []edge) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a[0].author, b[0].author))
	})
	return authors
}
