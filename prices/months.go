package prices

import (
	"cmp"
	"slices"

	"example.com/relationindex/schema"
)

// The forms in which posts reach readers.
const (
	Relations   = "relations"
	Items       = "items"        // timelines, a document for each post
	CappedItems = "capped items" // items; the oldest are deleted
	Buckets     = "buckets"      // a document for many posts
	Ring        = "ring"         // buckets; the oldest is overwritten
	Days        = "days"         // a document for each day
	Pull        = "pull"         // nothing is written: Feed queries the posts of all authors that a reader follows
)

// Forms has every form.
var Forms = []string{Relations, Items, CappedItems, Buckets, Ring, Days, Pull}

// Month has the quantities and the cost of a form in thirty days, read by clients or through the function Feed.
type Month struct {
	Form       string      `json:"form"`
	Feed       bool        `json:"feed"` // read through Feed
	Operations []Operation `json:"operations"`
	PageBytes  float64     `json:"pageBytes"`

	Used   Counts  `json:"used"`
	Stored float64 `json:"storedBytes"`
	Egress float64 `json:"egressBytes"` // of pages; other reads and writes of clients are small
	USD    float64 `json:"usd"`
}

const (
	daysAMonth = 30 // as most price examples have
	// sweepsAMonth is how often Sweep is called, for all authors together.
	sweepsAMonth = daysAMonth * 24 * 60
	// pullHorizon is the horizon if all readers pull. Nobody reads the relations then.
	pullHorizon = schema.MinHorizon
)

// Months returns the month of every form, the cheapest first. Pull is read through Feed alone.
func (a Author) Months(l List) []Month {
	var all []Month
	for _, form := range Forms {
		if form != Pull {
			all = append(all, a.Month(form, false, l))
		}
		all = append(all, a.Month(form, true, l))
	}
	slices.SortStableFunc(all, func(x, y Month) int { return cmp.Compare(x.USD, y.USD) })
	return all
}

// Month returns the month of one form.
func (a Author) Month(form string, feed bool, l List) Month {
	m := Month{Form: form, Feed: feed, Operations: a.Daily(form, feed), Stored: a.graphBytes(), PageBytes: pageSize * post.sent}
	switch form {
	case Relations:
		m.Stored += a.relationBytes()
		if !feed {
			_, sent := relation.size(a.meanIDs(), 0)
			m.PageBytes = pageSize * sent
		}
	case Pull: // relations are there for an hour
	default:
		x := a.Timelines(form)
		m.Stored += a.timelineBytes(x)
		if !feed {
			m.PageBytes = a.pageBytes(x)
		}
	}
	for _, o := range m.Operations {
		m.Used = m.Used.Plus(o.Times(o.PerDay))
	}
	months := daysAMonth * float64(max(1, a.Users))
	m.Used = m.Used.Times(months).Plus(Sweep().Times(sweepsAMonth))
	m.Stored *= float64(max(1, a.Users))
	m.Egress = m.PageBytes * a.Pages * months
	m.USD = l.bill(m.Used, m.Stored, m.Egress)
	return m
}

// pulledPage returns the mean cost of a pulled page, over the pages that a reader loads within a minute.
func (a Author) pulledPage() Counts {
	p := PullOptions{OwnPosts: true}
	return p.FeedPage(a.Following, pageSize).Plus(p.Following(a.Following).Times(1.0 / pagesInARow))
}

// feedPage returns the mean cost of a page of relations through Feed, over the pages that a reader loads one
// after the other. Pages beyond the horizon are pulled.
func (a Author) feedPage(x Index) Counts {
	page, within := x.FeedPage(pageSize), pagesInARow
	if a.Horizon > 0 {
		within = min(pagesInARow, a.postsIn(a.Horizon)*a.Following/pageSize)
	}
	if within == pagesInARow {
		return page
	}
	p := PullOptions{OwnPosts: true}
	pulled := p.FeedPage(a.Following, pageSize).Times(float64(pagesInARow - within))
	change := x.Page(0).Plus(p.Following(a.Following)) // the query that finds no relation, and the reader's follows
	return page.Times(float64(within)).Plus(pulled, change).Times(1.0 / pagesInARow)
}

// SettingsUSD returns the extra cost of a month's posts if functions read the settings of each reader.
func (a Author) SettingsUSD(l List) float64 {
	posts := a.Posts * daysAMonth * float64(max(1, a.Users))
	return l.bill(reads(a.Followers).Times(posts), 0, 0)
}
