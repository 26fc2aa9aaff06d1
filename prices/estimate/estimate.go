package estimate

import "example.com/relationindex/prices"

// The designs, as reports name them.
const (
	ByClients  = "relation index"       // read by clients: whole relations
	ByFeed     = "relation index, Feed" // read through the function Feed: posts, and nothing of relations
	ByTimeline = "timelines"            // read by clients: a document for each entry, or for many
	OnWrite    = "fan-out on write"     // a document for each follower and post: timelines of items alone, without a cap
	OnRead     = "fan-out on read"
)

// These are ways to read alone: [ByTimeline] through the function Feed, and posts through it, without
// relations.
const (
	ByTimelineFeed = "timelines, Feed"
	ByPull         = "pull, Feed"
)

// Designs are all of them, in the order of reports.
var Designs = []string{ByClients, ByFeed, ByTimeline, OnWrite, OnRead}

// Operation is what one operation costs in each design.
type Operation struct {
	Name  string                   `json:"operation"`
	Costs map[string]prices.Counts `json:"costs"` // by design, or by layout; ByFeed differs from ByClients in the page alone
}

// Usage is what a month takes.
type Usage struct {
	prices.Counts
	Storage     Storage `json:"storage"`
	EgressBytes float64 `json:"egressBytes"` // of feeds; what clients write and read otherwise is small
}

// daysAMonth of thirty, as most price examples have.
const daysAMonth = 30

// minutesAMonth is how often Sweep is called.
const minutesAMonth = daysAMonth * 24 * 60

// Month is one design's month.
type Month struct {
	Design string  `json:"design"`
	Usage  Usage   `json:"usage"`
	Bill   Bill    `json:"billUSD"`
	Page   float64 `json:"pageBytes"` // of a feed
}

// Report is what an author costs.
type Report struct {
	Inputs         Inputs      `json:"inputs"`
	Prices         Prices      `json:"prices"`
	IndexDocuments int         `json:"indexDocuments"`
	Operations     []Operation `json:"operations"`
	Months         []Month     `json:"months"`   // in the order of Designs
	Ways           []Way       `json:"ways"`     // to read, on the inputs' horizon
	Horizons       []Way       `json:"horizons"` // through relations, on other horizons
	Layouts        []Way       `json:"layouts"`  // timelines in each of Layouts
	Choices        []Choice    `json:"choices"`  // the cheapest first
	// Timelines are all operations of timelines in each of Layouts, by its name.
	Timelines []Operation `json:"timelines"`
	// WorstStorage is that of the relation index if production charges two
	// entries for each element of an array, as it counts where it checks limits.
	WorstStorage Storage `json:"worstStorage"`
}

// Estimate is the report for inputs that are valid. It returns Validate's error
// for others.
func (in Inputs) Estimate(p Prices) (Report, error) {
	if err := in.Validate(); err != nil {
		return Report{}, err
	}
	r := Report{
		Inputs: in, Prices: p, IndexDocuments: in.IndexDocuments(), Operations: in.operations(),
		Ways: in.Ways(p), Horizons: in.WaysOf(p), Layouts: in.WaysOfTimelines(p), Timelines: in.timelineOperations(), WorstStorage: in.indexStorage(2),
		Choices: in.Choices(p),
	}
	for _, design := range Designs {
		u := in.month(design)
		r.Months = append(r.Months, Month{design, u, p.bill(u), in.page(design)})
	}
	return r, nil
}

// names are the operations of a day.
var names = [...]string{"post", "edit", "delete a post", "follow", "follow that opens an index document", "unfollow", "page of a feed", "expiry of a post"}

// pageOfADay is the place of a page in names.
const pageOfADay = 6

// day is what one of each of names costs in one design.
type day [len(names)]prices.Counts

func (in Inputs) operations() []Operation {
	out := make([]Operation, len(names))
	for i, name := range names {
		out[i] = Operation{name, map[string]prices.Counts{}}
	}
	for _, design := range Designs {
		for i, c := range in.day(design) {
			out[i].Costs[design] = c
		}
	}
	return out
}

func (in Inputs) day(design string) day {
	n, k := in.related(), in.IndexDocuments()
	switch design {
	case ByTimeline, ByTimelineFeed:
		return in.timelineDay(design == ByTimelineFeed)
	case OnWrite:
		return in.onWrite().timelineDay(false)
	case ByPull:
		in.Horizon = pullHorizon
		d := in.day(ByFeed)
		d[pageOfADay] = in.pullPage()
		return d
	case OnRead:
		d := prices.FanOutOnRead{CachedFollowing: in.CachedFollowing, Direct: in.directQueries(), Closed: in.Closed}
		return day{d.Post(), d.Post(), d.Delete(), d.Follow(), d.Follow(), d.Unfollow(), d.FeedPage(in.Following, in.PageSize), {}}
	}
	x, page := in.index(), prices.FeedPage(in.PageSize)
	if design == ByFeed {
		page = in.feedPage()
	}
	return day{x.Post(k), x.Edit(k), x.Delete(k), x.Follow(n), x.FollowOpening(n, k), x.Unfollow(n), page, in.expiry(x)}
}

// month is what a design takes in thirty days.
func (in Inputs) month(design string) Usage {
	switch design {
	case OnWrite:
		return in.onWrite().month(ByTimeline)
	case ByPull:
		in.Horizon = pullHorizon
	}
	times := in.times()
	var daily prices.Counts
	for i, c := range in.day(design) {
		daily = daily.Plus(c.Times(times[i]))
	}
	u := Usage{Counts: daily.Times(daysAMonth).Plus(in.sweeps(design)), EgressBytes: daysAMonth * in.FeedReads * in.page(design)}
	switch design {
	case OnRead:
		u.Storage = in.readStorage()
	default:
		u.Storage = in.graphStorage()
		if design == ByClients || design == ByFeed || design == ByPull || !in.RelationsOff {
			u.Storage = in.indexStorage(1)
		}
		if design == ByTimeline || design == ByTimelineFeed {
			u.Storage = in.timelineStorage(u.Storage)
		}
	}
	return u
}

// times is how often each of names is done in a day.
func (in Inputs) times() [len(names)]float64 {
	opened := in.Follows / float64(in.idsPerDocument())
	return [...]float64{in.Posts, in.Edits, in.Deletes, in.Follows - opened, opened, in.Unfollows, in.FeedReads, in.Posts}
}

// sweeps are those of a month. A system has them once, however many authors there are.
func (Inputs) sweeps(design string) prices.Counts {
	if design == OnRead {
		return prices.Counts{}
	}
	return prices.Sweep().Times(minutesAMonth)
}

// page is how many bytes a page of a feed is on the wire.
func (in Inputs) page(design string) float64 {
	switch design {
	case ByClients:
		return in.RelationPage()
	case ByTimeline:
		return in.TimelinePage()
	case OnWrite:
		return in.onWrite().TimelinePage()
	case OnRead:
		return in.MergedPage()
	}
	return in.EntryPage()
}
