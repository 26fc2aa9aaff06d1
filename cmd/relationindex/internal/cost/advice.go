package cost

import (
	"fmt"
	"math"
	"strings"
	"time"

	"example.com/relationindex/internal/console"
	"example.com/relationindex/prices"
	"example.com/relationindex/schema"
)

const (
	hardlyDiffer  = 1                   // USD a month; smaller differences decide nothing
	heavyPage     = 1 << 20             // bytes of a page; advice warns of such pages
	smallCapacity = 500                 // the README's capacity for clients that query relations
	longRamp      = 10                  // minutes
	horizon       = 30 * 24 * time.Hour // to compare
	worthAHorizon = 0.9                 // of the bill without one: a horizon needs a command, and hides older posts
)

// advice returns lines that name the cheapest form, its variables, and the limits that the numbers reach.
func advice(a prices.Author, list prices.List, months []prices.Month) []string {
	best, next, dearest := months[0], months[1], months[len(months)-1]
	verdict := fmt.Sprintf("The cheapest is %s: %s USD a month. Next is %s, with %s USD more.",
		label(a, best), console.Dollars(best.USD), label(a, next), console.Dollars(next.USD-best.USD))
	if dearest.USD-best.USD < hardlyDiffer {
		verdict = fmt.Sprintf("These numbers do not decide: no way costs %d USD a month more than the cheapest.", hardlyDiffer)
	}
	lines := append([]string{verdict, settings(a, best)}, limits(a, list)...)
	return append(lines, "What numbers do not say, such as an order, filters and privacy: docs/choosing.md.")
}

// settings returns a sentence with the variables of a form, as 'relationindex config check' accepts them.
func settings(a prices.Author, m prices.Month) string {
	var set []string
	add := func(wanted bool, name string, value any) {
		if wanted {
			set = append(set, fmt.Sprintf("RELATIONINDEX_%s=%v", name, value))
		}
	}
	add(a.Capacity != schema.DefaultCapacity, "CAPACITY", a.Capacity)
	switch m.Form {
	case prices.Relations:
		add(a.Horizon > 0, "HORIZON", console.Hours(a.Horizon))
	case prices.Pull:
		add(true, "HORIZON", console.Hours(schema.MinHorizon))
	default:
		x := a.Timelines(m.Form)
		add(true, "FEEDS", x.Layout)
		add(x.Layout == schema.LayoutBuckets && x.Bucket != schema.DefaultBucket, "BUCKET", x.Bucket)
		add(x.Cap > 0, "CAP", x.Cap)
		add(x.Backfill > 0, "BACKFILL", x.Backfill)
	}
	text := "Set nothing: these are the defaults."
	if len(set) > 0 {
		text = "Set " + strings.Join(set, " ") + "."
	}
	if !m.Feed {
		text += " RELATIONINDEX_COPIED_FIELDS names what clients show of a post."
	}
	return text
}

// limits returns lines about the limits of all forms that the numbers reach.
func limits(a prices.Author, list prices.List) (lines []string) {
	say := func(when bool, format string, values ...any) {
		if when {
			lines = append(lines, "* "+fmt.Sprintf(format, values...))
		}
	}
	clients, feed := a.Month(prices.Relations, false, list), a.Month(prices.Relations, true, list)
	within := a
	within.Horizon = horizon
	shorter := within.Month(prices.Relations, true, list)
	say(a.Horizon == 0 && shorter.USD < worthAHorizon*feed.USD,
		"Relations by Feed cost %s USD with --horizon %s.", console.Dollars(shorter.USD), console.Hours(horizon))
	say(clients.PageBytes >= heavyPage && a.Capacity > smallCapacity,
		"Relations by clients: they load all ids, %s a page. Compare --capacity %d.", console.Bytes(clients.PageBytes), smallCapacity)
	minutes := rampUp(float64(a.Followers))
	say(minutes >= longRamp, "Timelines: a post takes %.0f minutes if Firestore is new to them: its writes have to grow slowly.", minutes)
	read := a.SettingsUSD(list)
	say(read >= hardlyDiffer, "Timelines: filters, hiding and idle readers (RELATIONINDEX_SETTINGS) cost %s USD more for posts.", console.Dollars(read))
	say(a.Following > prices.MostFollowed, "Pull reads the first %s of those followed, and leaves out the others.", console.Grouped(prices.MostFollowed))
	say(a.Following <= prices.InLimit, "Readers follow at most %d: clients may query posts (where userId in …), and no function runs.", prices.InLimit)
	return lines
}

// rampUp returns the minutes that this number of writes takes while traffic grows as Firestore recommends
// for a new collection ("Best practices", read in November 2026). Traffic starts at 500 writes a second, and
// grows by half every five minutes.
func rampUp(writes float64) float64 {
	const minutes, growth = 5, 1.5
	const first = 500 * minutes * 60
	return minutes * math.Log1p(writes*(growth-1)/first) / math.Log(growth)
}
