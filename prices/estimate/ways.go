package estimate

import (
	"math"
	"time"

	"example.com/relationindex/prices"
)

// Way is what a month costs if feeds are read in one way, in USD. Low and High are the same
// where the price is known.
type Way struct {
	Name      string        `json:"way"`
	Horizon   time.Duration `json:"horizonNanoseconds"`
	Layout    string        `json:"layout,omitempty"` // of timelines
	PageReads float64       `json:"pageReads"`        // of a page, in the mean; on Enterprise at most, in read units
	Low       float64       `json:"lowUSD"`
	High      float64       `json:"highUSD"`
}

// The ways to read a feed.
const (
	WayClients  = "relations, by clients"
	WayFeed     = "relations, Feed"
	WayPull     = "pull, Feed"
	WayPipeline = "Enterprise pipeline"

	WayTimeline     = "timelines, by clients"
	WayTimelineFeed = "timelines, Feed"
)

// Ways compares the ways to read, for these inputs.
func (in Inputs) Ways(p Prices) []Way {
	low, high, units := in.pipeline(p)
	return []Way{
		in.way(WayClients, ByClients, p), in.way(WayFeed, ByFeed, p),
		in.way(WayTimeline, ByTimeline, p), in.way(WayTimelineFeed, ByTimelineFeed, p),
		in.way(OnWrite, OnWrite, p), in.way(OnRead, OnRead, p),
		in.way(WayPull, ByPull, p),
		{Name: WayPipeline, PageReads: units, Low: low, High: high},
	}
}

// way is one of the designs.
func (in Inputs) way(name, design string, p Prices) Way {
	total := p.bill(in.month(design)).Total
	w := Way{Name: name, PageReads: in.day(design)[pageOfADay].Reads, Low: total, High: total}
	switch design {
	case ByClients, ByFeed:
		w.Horizon = in.Horizon
	case ByPull:
		w.Horizon = pullHorizon
	case ByTimeline, ByTimelineFeed:
		w.Layout = in.Layout
	}
	return w
}

// WaysOf are the ways through relations, for each of [Horizons].
func (in Inputs) WaysOf(p Prices) (ways []Way) {
	for _, h := range Horizons {
		at := in
		at.Horizon = h
		ways = append(ways, at.way(WayClients, ByClients, p), at.way(WayFeed, ByFeed, p))
	}
	return ways
}

// WaysOfTimelines are the ways through timelines, in each of [Layouts].
func (in Inputs) WaysOfTimelines(p Prices) (ways []Way) {
	for _, layout := range Layouts {
		at := in
		at.Layout = layout
		ways = append(ways, at.way(WayTimeline, ByTimeline, p), at.way(WayTimelineFeed, ByTimelineFeed, p))
	}
	return ways
}

// pull is what pull costs with these inputs.
func (in Inputs) pull() prices.Pull {
	return prices.Pull{Filled: in.PostsFilled, OwnPosts: in.OwnPosts}
}

// pullPage is a page that is pulled, in the mean of those that a reader loads within a minute.
func (in Inputs) pullPage() prices.Counts {
	return in.pull().FeedPage(in.Following, in.PageSize).Plus(in.pull().Following(in.Following).Times(1 / float64(in.Depth)))
}

// What Enterprise edition bills by: 4 KiB of what is read, 1 KiB of what is written with its
// index entries. How much a pipeline reads is not proven.
const (
	readUnit    = 4 << 10
	writeUnit   = 1 << 10
	boundInDays = 7
)

// pipeline is a month in which each page is one pipeline, equalAny of those followed. A page
// reads its posts, and at the least the index entries of a week; or an entry of each author;
// or, at the most, all entries of all.
func (in Inputs) pipeline(p Prices) (low, high, mostUnits float64) {
	post := in.plainPost()
	entry := post.name + post.composites[0].bytes + perEntry
	units := func(posts float64) float64 { return math.Ceil(posts * entry / readUnit) }
	a, page := float64(in.Following), float64(in.PageSize)
	week, each, all := units(a*in.Posts*boundInDays), a, units(a*float64(in.KeptPosts))
	least := page + min(week, each, all)
	most := page + max(week, each, all)

	written := func(d stored) float64 { return math.Ceil((d.document() + d.entries()) / writeUnit) }
	writes := (in.Posts+in.Edits+in.Deletes)*written(post) + (in.Follows+in.Unfollows)*written(in.ofFollow("following"))
	rest := writes*p.EnterpriseWrite/1e6*daysAMonth + in.readStorage().Total()/gib*p.Storage +
		page*in.postAnswer()*in.FeedReads*daysAMonth/gib*p.Egress
	usd := func(units float64) float64 { return units*in.FeedReads*daysAMonth*p.EnterpriseRead/1e6 + rest }
	return usd(least), usd(most), most
}
