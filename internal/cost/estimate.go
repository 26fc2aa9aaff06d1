package cost

// The designs, as reports name them.
const (
	ByClients = "relation index"       // read by clients: whole relations
	ByFeed    = "relation index, Feed" // read through the function Feed: posts, and nothing of relations
	OnWrite   = "fan-out on write"
	OnRead    = "fan-out on read"
)

// Designs are all of them, in the order of reports.
var Designs = []string{ByClients, ByFeed, OnWrite, OnRead}

// Operation is what one operation costs in each design.
type Operation struct {
	Name  string            `json:"operation"`
	Costs map[string]Counts `json:"costs"` // by design; ByFeed differs from ByClients in the page alone
}

// Usage is what a month takes.
type Usage struct {
	Counts
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
	Months         []Month     `json:"months"` // in the order of Designs
	// WorstStorage is that of the relation index if production charges two
	// entries for each element of an array, as it counts where it checks limits.
	WorstStorage Storage    `json:"worstStorage"`
	Crossings    []Crossing `json:"crossings"`
	// CheapestCapacity is the capacity, of those tried, at which the relation index
	// read by clients costs least with these inputs, and that bill's total.
	CheapestCapacity int     `json:"cheapestCapacity"`
	CheapestTotal    float64 `json:"cheapestTotalUSD"`
}

// Estimate is the report for inputs that are valid. It returns Validate's error
// for others.
func (in Inputs) Estimate(p Prices) (Report, error) {
	if err := in.Validate(); err != nil {
		return Report{}, err
	}
	r := Report{
		Inputs: in, Prices: p, IndexDocuments: in.IndexDocuments(), Operations: in.operations(),
		WorstStorage: in.indexStorage(2), Crossings: in.crossings(p),
	}
	for _, design := range Designs {
		u := in.month(design)
		r.Months = append(r.Months, Month{design, u, p.bill(u), in.page(design)})
	}
	r.CheapestCapacity, r.CheapestTotal = in.cheapestCapacity(p)
	return r, nil
}

func (in Inputs) operations() []Operation {
	var out []Operation
	for _, op := range []struct {
		name string
		of   func(day) Counts
	}{
		{"post", func(d day) Counts { return d.post }},
		{"edit", func(d day) Counts { return d.edit }},
		{"delete a post", func(d day) Counts { return d.remove }},
		{"follow", func(d day) Counts { return d.follow }},
		{"follow that opens an index document", func(d day) Counts { return d.open }},
		{"unfollow", func(d day) Counts { return d.unfollow }},
		{"page of a feed", func(d day) Counts { return d.feed }},
	} {
		costs := map[string]Counts{}
		for _, design := range Designs {
			costs[design] = op.of(in.day(design))
		}
		out = append(out, Operation{op.name, costs})
	}
	return out
}

// day is what one operation of each kind costs in one design.
type day struct{ post, edit, remove, follow, open, unfollow, feed Counts }

func (in Inputs) day(design string) day {
	f, k, n := int(in.Followers), in.IndexDocuments(), in.KeptPosts
	switch design {
	case OnWrite:
		d := FanOutOnWrite{Backfill: in.Backfill}
		return day{d.Post(f), d.Post(f), d.Delete(f), d.Follow(n), d.Follow(n), d.Unfollow(n), FeedPage(in.PageSize)}
	case OnRead:
		d := FanOutOnRead{CachedFollowing: in.CachedFollowing}
		return day{d.Post(), d.Post(), d.Delete(), d.Follow(), d.Follow(), d.Unfollow(), d.FeedPage(in.Following, in.PageSize)}
	}
	x := in.index()
	c := day{x.Post(k), x.Edit(k), x.Delete(k), x.Follow(n), x.FollowOpening(n, k), x.Unfollow(n), FeedPage(in.PageSize)}
	if design == ByFeed {
		c.feed = c.feed.plus(reads(in.PageSize), event) // the posts by name, and a call of the function
	}
	return c
}

// month is what a design takes in thirty days.
func (in Inputs) month(design string) Usage {
	c := in.day(design)
	opened := in.Follows / float64(in.idsPerDocument())
	daily := Counts{}.plus(
		c.post.times(in.Posts), c.edit.times(in.Edits), c.remove.times(in.Deletes),
		c.follow.times(in.Follows-opened), c.open.times(opened), c.unfollow.times(in.Unfollows),
		c.feed.times(in.FeedReads),
	)
	u := Usage{Counts: daily.times(daysAMonth), EgressBytes: daysAMonth * in.FeedReads * in.page(design)}
	switch design {
	case OnWrite:
		u.Storage = in.writeStorage()
	case OnRead:
		u.Storage = in.readStorage()
	default:
		u.Counts = u.plus(Sweep().times(minutesAMonth))
		u.Storage = in.indexStorage(1)
	}
	return u
}

// page is how many bytes a page of a feed is on the wire.
func (in Inputs) page(design string) float64 {
	switch design {
	case ByClients:
		return in.RelationPage()
	case OnRead:
		return in.MergedPage()
	}
	return in.EntryPage()
}

// total is a design's bill for a month.
func (in Inputs) total(design string, p Prices) float64 { return p.bill(in.month(design)).Total }
