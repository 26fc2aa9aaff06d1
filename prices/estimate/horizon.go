package estimate

import (
	"math"
	"time"

	"example.com/relationindex/prices"
	"example.com/relationindex/schema"
)

// Horizons are those that a report compares; 0: none. Shorter ones are for readers who follow
// many.
var Horizons = []time.Duration{0, 30 * day24, 90 * day24, 365 * day24}

const (
	day24 = 24 * time.Hour

	// pullHorizon is the horizon of those who read by pull alone: relations are for nobody then.
	pullHorizon = schema.MinHorizon

	// expiresWithin is how long after its time Firestore deletes a document ("Data retention
	// with TTL policies": typically within 24 hours; read November 2026).
	expiresWithin = 24 * time.Hour
)

// related is how many of the author's posts have relations, in the mean.
func (in Inputs) related() int {
	if in.Horizon == 0 {
		return in.KeptPosts
	}
	return min(in.KeptPosts, in.postsIn(in.Horizon+schema.HorizonMargin+expiresWithin/2))
}

// postsIn is how many posts an author makes in a time.
func (in Inputs) postsIn(d time.Duration) int {
	return int(math.Ceil(min(maxPosts, in.Posts*d.Hours()/24)))
}

// expiry is what TTL deletes of a post that the horizon passes.
func (in Inputs) expiry(x prices.Index) prices.Counts {
	if in.Horizon == 0 || x.Off {
		return prices.Counts{}
	}
	relations := in.IndexDocuments()
	if in.directReaders() > 0 {
		relations++
	}
	return prices.Counts{Deletes: float64(relations)}
}

// feedPage is a page through the function Feed, in the mean of those that a reader loads one
// after the other: posts, and nothing of relations. Pages beyond the horizon are pulled.
func (in Inputs) feedPage() prices.Counts {
	page := prices.ServedPage(in.PageSize)
	within := in.Depth
	if in.Horizon > 0 {
		within = min(in.Depth, in.postsIn(in.Horizon)*in.Following/in.PageSize)
	}
	if within == in.Depth {
		return page
	}
	pulled := in.pull().FeedPage(in.Following, in.PageSize).Times(float64(in.Depth - within))
	change := prices.FeedPage(0).Plus(in.pull().Following(in.Following)) // no relation is left, and the reader's follows
	return page.Times(float64(within)).Plus(pulled, change).Times(1 / float64(in.Depth))
}
