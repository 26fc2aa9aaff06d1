package cost

import (
	"math"
	"slices"
)

// Crossing is where the relation index, read in one way, costs as much as
// another design.
type Crossing struct {
	Design string `json:"design"` // ByClients or ByFeed
	Beside string `json:"beside"` // OnWrite or OnRead
	// Cheaper are the numbers of followers at which Design costs less, while the
	// rates for each follower stay: feed reads, follows and unfollows grow with them.
	Cheaper []Range `json:"cheaperFollowers"`
	// FeedReads is where the bills are equal in feed reads a day, at this number of
	// followers. Design costs less below it if Below, else above. Nil: nowhere.
	FeedReads *float64 `json:"feedReads"`
	Below     bool     `json:"below"`
	// Now says that Design costs less with the inputs as they are.
	Now bool `json:"cheaperNow"`
}

// Range is numbers of followers, both ends included.
type Range struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

func (in Inputs) crossings(p Prices) []Crossing {
	var out []Crossing
	for _, design := range []string{ByClients, ByFeed} {
		for _, beside := range []string{OnWrite, OnRead} {
			c := Crossing{Design: design, Beside: beside, Now: in.total(design, p) < in.total(beside, p)}
			c.FeedReads, c.Below = in.equalReads(design, beside, p)
			c.Cheaper = in.cheaper(design, beside, p)
			out = append(out, c)
		}
	}
	return out
}

// equalReads solves for the feed reads a day: bills are linear in them.
func (in Inputs) equalReads(design, beside string, p Prices) (reads *float64, below bool) {
	at := func(reads float64) float64 {
		in := in
		in.FeedReads = reads
		return in.total(design, p) - in.total(beside, p)
	}
	const some = 1e6
	without := at(0)
	slope := (at(some) - without) / some
	if slope == 0 || without/slope >= 0 {
		return nil, false
	}
	equal := -without / slope
	return &equal, slope > 0
}

// cheaper looks for the ranges of followers in which design costs less, on a
// grid of a tenth, and then exactly for each of their ends. A range that lies between two
// points of the grid is passed over.
func (in Inputs) cheaper(design, beside string, p Prices) []Range {
	if in.Followers == 0 {
		return nil
	}
	less := func(f int64) bool {
		in := in.withFollowers(f)
		return in.total(design, p) < in.total(beside, p)
	}
	last := int64(min(maxFollowers, maxIndexes*in.idsPerDocument()))
	var ranges []Range
	inside := false
	for f, before := int64(1), int64(0); ; before, f = f, min(last, max(f+1, f*11/10)) {
		if less(f) != inside {
			edge := before + 1 + searchInt(f-before-1, func(i int64) bool { return less(before+1+i) != inside })
			if inside = !inside; inside {
				ranges = append(ranges, Range{From: edge})
			} else {
				ranges[len(ranges)-1].To = edge - 1
			}
		}
		if f == last {
			break
		}
	}
	if inside {
		ranges[len(ranges)-1].To = last
	}
	return ranges
}

// searchInt is the smallest i of 0 to n with found(i), which is true for n.
func searchInt(n int64, found func(int64) bool) int64 {
	low, high := int64(0), n
	for low < high {
		if mid := low + (high-low)/2; found(mid) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// withFollowers is an author with f followers who do the same, each.
func (in Inputs) withFollowers(f int64) Inputs {
	factor := float64(f) / float64(in.Followers)
	in.Followers = f
	in.FeedReads *= factor
	in.Follows *= factor
	in.Unfollows *= factor
	return in
}

// cheapestCapacity tries some capacities.
func (in Inputs) cheapestCapacity(p Prices) (capacity int, total float64) {
	total = math.Inf(1)
	for _, c := range slices.Concat([]int{in.Capacity}, []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000}) {
		in.Capacity = c
		if in.IndexDocuments() > maxIndexes {
			continue
		}
		if t := in.total(ByClients, p); t < total {
			capacity, total = c, t
		}
	}
	return capacity, total
}
