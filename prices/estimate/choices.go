package estimate

import (
	"cmp"
	"math"
	"slices"
	"time"

	"example.com/relationindex/prices"
	"example.com/relationindex/schema"
)

// WayQuery is a query of posts by the clients of readers who follow at most [prices.InLimit]
// accounts. It needs no functions.
const WayQuery = "posts, by clients"

// Choice is a delivery with a way to read it, and what these cost.
type Choice struct {
	Way
	Post      prices.Counts `json:"post"`   // of one, with the client's own write
	Follow    prices.Counts `json:"follow"` // of one, likewise
	Page      prices.Counts `json:"page"`
	PageBytes float64       `json:"pageBytes"`
	Stored    float64       `json:"storedBytes"`
	Parts     []Part        `json:"parts"` // of a month's bill, of the same names for all choices
}

// Part is what a month of one kind of work costs.
type Part struct {
	Name string  `json:"part"`
	USD  float64 `json:"usd"`
}

// The parts of a bill. Posts are new ones, with the expiry of old ones.
const (
	PartPosts     = "posts"
	PartEdits     = "edits"
	PartDeletes   = "deletions"
	PartFollows   = "follows"
	PartUnfollows = "unfollows"
	PartPages     = "pages"
	PartEgress    = "egress of pages"
	PartStorage   = "storage"
	PartSweep     = "Sweep"
)

// worthAHorizon is the share of the bill without a horizon below which one pays: it has a
// command and an end of what clients see.
const worthAHorizon = 0.9

// hardlyDiffer is the difference in USD a month that decides nothing.
const hardlyDiffer = 1

// Choices compares deliveries with the ways to read them, the cheapest first. Relations are there
// read by clients and through Feed, since clients see the ids of other followers; a layout of
// timelines has the cheaper of both. Each has the horizon that pays.
func (in Inputs) Choices(p Prices) []Choice {
	all := []Choice{in.onHorizons(WayClients, ByClients, p), in.onHorizons(WayFeed, ByFeed, p), in.choice(WayPull, ByPull, p)}
	for _, layout := range Layouts {
		at := in
		at.Layout = layout
		all = append(all, cheaper(at.choice(WayTimeline, ByTimeline, p), at.choice(WayTimelineFeed, ByTimelineFeed, p)))
	}
	if in.Following <= prices.InLimit {
		all = append(all, in.choice(WayQuery, OnRead, p))
	}
	slices.SortStableFunc(all, func(a, b Choice) int { return cmp.Compare(a.High, b.High) })
	return all
}

// onHorizons is a way through relations, without a horizon unless one saves a tenth.
func (in Inputs) onHorizons(name, design string, p Prices) Choice {
	at := in
	at.Horizon = 0
	none := at.choice(name, design, p)
	best := none
	for _, at.Horizon = range append([]time.Duration{in.Horizon}, Horizons...) {
		best = cheaper(best, at.choice(name, design, p))
	}
	if best.High > worthAHorizon*none.High {
		return none
	}
	return best
}

func cheaper(a, b Choice) Choice {
	if b.High < a.High {
		return b
	}
	return a
}

// choice is one of the designs.
func (in Inputs) choice(name, design string, p Prices) Choice {
	d, u := in.day(design), in.month(design)
	return Choice{
		Way: in.way(name, design, p), Post: d[0].Plus(d[7]), Follow: d[3], Page: d[pageOfADay],
		PageBytes: in.page(design), Stored: u.Storage.Total(), Parts: in.parts(design, p),
	}
}

// parts are those of a month's bill. Their sum is its total.
func (in Inputs) parts(design string, p Prices) (all []Part) {
	of := [len(names)]string{PartPosts, PartEdits, PartDeletes, PartFollows, PartFollows, PartUnfollows, PartPages, PartPosts}
	times := in.times()
	add := func(name string, u Usage) {
		usd := p.bill(u).Total
		if n := slices.IndexFunc(all, func(part Part) bool { return part.Name == name }); n >= 0 {
			all[n].USD += usd
			return
		}
		all = append(all, Part{name, usd})
	}
	for i, c := range in.day(design) {
		add(of[i], Usage{Counts: c.Times(times[i] * daysAMonth)})
	}
	u := in.month(design)
	add(PartEgress, Usage{EgressBytes: u.EgressBytes})
	add(PartStorage, Usage{Storage: u.Storage})
	add(PartSweep, Usage{Counts: in.sweeps(design)})
	return all
}

// Dearer is the part that costs more than that of another choice, the most, and by how much.
// Without such a part it is zero.
func (c Choice) Dearer(other Choice) (most Part) {
	for n, part := range c.Parts {
		if more := part.USD - other.Parts[n].USD; more > most.USD {
			most = Part{part.Name, more}
		}
	}
	return most
}

// Decided reports whether the prices of the choices of a report differ by enough.
func (r Report) Decided() bool {
	return r.Choices[len(r.Choices)-1].High-r.Choices[0].High >= hardlyDiffer
}

// BackfillOf is how many posts a new follower gets of timelines of a layout.
func (in Inputs) BackfillOf(layout string) int {
	in.Layout = layout
	return in.timelines().Backfill
}

// The limits that numbers reach.

// LeftOut is how many of those followed are not in pages of pull.
func (in Inputs) LeftOut() int { return max(0, in.Following-prices.MostFollowed) }

// SettingsUSD is what a month of posts costs more if functions read the settings of each reader of a post.
func (r Report) SettingsUSD() float64 {
	reads := float64(int(r.Inputs.Followers)+r.Inputs.directReaders()) * r.Inputs.Posts * daysAMonth
	return r.Prices.bill(Usage{Counts: prices.Counts{Reads: reads}}).Total
}

// FullDays reports whether posts of a day are too many for a document of timelines of days.
func (in Inputs) FullDays() bool {
	in.Layout = schema.LayoutDays
	n := int(math.Min(in.Posts*float64(in.Following), schema.MaxDocumentBytes))
	return in.timelineDocument(n).document() > schema.MaxDocumentBytes
}

// InBackground reports whether on this horizon a follow updates more relations than a handler does, so
// that a job does.
func (in Inputs) InBackground(horizon time.Duration) bool {
	in.Horizon = horizon
	x := in.index()
	return in.related() > x.InlineLimit
}

// How Firestore asks traffic to a new collection to grow ("Best practices", read in
// [PricesDate]): from so many writes a second by half every five minutes.
const (
	rampFrom    = 500
	rampGrowth  = 1.5
	rampMinutes = 5
)

// RampUp is how many minutes so many writes take while traffic grows as Firestore asks.
func RampUp(writes float64) float64 {
	first := float64(rampFrom * rampMinutes * 60)
	return rampMinutes * math.Log1p(writes*(rampGrowth-1)/first) / math.Log(rampGrowth)
}
