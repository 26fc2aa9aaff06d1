package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/relationindex/internal/console"
	"example.com/relationindex/prices"
	"example.com/relationindex/prices/estimate"
	"example.com/relationindex/schema"
)

// The page on choosing has the numbers that cost prints for the commands that it names.
func TestThePageOnChoosingSaysWhatCostPrints(t *testing.T) {
	file, err := os.ReadFile("../../docs/choosing.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(file)
	example := func(more ...string) estimate.Report {
		return costOf(t, append([]string{"--followers", "1000000", "--kept-posts", "1000"}, more...)...)
	}
	base, horizon, capped := example(), example("--horizon", "720h"), example("--cap", "500")
	few, many := example("--following", "30"), example("--following", "1000")
	items, buckets, days := columnOf(t, base, schema.LayoutItems), columnOf(t, base, schema.LayoutBuckets), columnOf(t, base, schema.LayoutDays)
	ring, cappedItems := columnOf(t, capped, schema.LayoutBuckets), columnOf(t, capped, schema.LayoutItems)
	pull := base.Choices[slices.IndexFunc(base.Choices, func(c estimate.Choice) bool { return c.Name == estimate.WayPull })]
	kept := operationOf(t, horizon.Operations, "post", estimate.ByFeed).Plus(operationOf(t, horizon.Operations, "expiry of a post", estimate.ByFeed))
	reads := func(r estimate.Report, way string) string { return documents(wayOf(t, r, way).PageReads) }
	usd := func(r estimate.Report, way string) string { return console.Dollars(wayOf(t, r, way).High) }

	for _, want := range []string{
		row("writes of a post", documents(operationOf(t, base.Operations, "post", estimate.ByFeed).Writes),
			documents(kept.Writes)+", and "+documents(kept.Deletes)+" deletes", documents(pull.Post.Writes)+", and "+documents(pull.Post.Deletes)+" deletes",
			items.post, buckets.post, ring.post, days.post),
		row("writes of a follow", documents(operationOf(t, base.Operations, "follow", estimate.ByFeed).Writes),
			documents(operationOf(t, horizon.Operations, "follow", estimate.ByFeed).Writes), documents(pull.Follow.Writes), items.follow, buckets.follow, ring.follow, days.follow),
		row("reads of a page by clients", reads(base, estimate.WayClients), reads(horizon, estimate.WayClients), "none", items.clients, buckets.clients, ring.clients, days.clients),
		row("reads of a page by Feed", reads(base, estimate.WayFeed), reads(horizon, estimate.WayFeed)+"; more beyond the horizon",
			reads(few, estimate.WayPull)+", "+reads(base, estimate.WayPull)+", "+reads(many, estimate.WayPull), items.feed, buckets.feed, ring.feed, days.feed),
		row("USD a month by clients", usd(base, estimate.WayClients), usd(horizon, estimate.WayClients), "", items.usdClients, buckets.usdClients, ring.usdClients, days.usdClients),
		row("USD a month by Feed", usd(base, estimate.WayFeed), usd(horizon, estimate.WayFeed), usd(base, estimate.WayPull), items.usdFeed, buckets.usdFeed, ring.usdFeed, days.usdFeed),
		"Items with the same cap cost " + cappedItems.usdClients + " USD by clients",
		"a month by Feed is " + usd(horizon, estimate.WayFeed) + " USD in place of " + usd(base, estimate.WayFeed),
		fmt.Sprintf("takes %.0f minutes", estimate.RampUp(1_000_000)), fmt.Sprintf("to 20,000,000, %.0f minutes", estimate.RampUp(20_000_000)),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}

	even := costOf(t, strings.Fields("--followers 1000000 --cap 500 --backfill 0")...).Choices
	follows := costOf(t, strings.Fields("--followers 1000000 --follows 100000 --feed-reads 50000")...).Choices
	for _, want := range []string{
		"has " + console.Dollars(even[0].High) + " and " + console.Dollars(even[1].High) + " USD a month",
		"has " + console.Dollars(follows[0].High) + " USD a month for pull, and " + console.Dollars(follows[1].High) + " for the next",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if even[0].Name != estimate.WayFeed || even[1].Name != estimate.WayTimeline || follows[0].Name != estimate.WayPull {
		t.Errorf("the cheapest are %s and %s, and %s", even[0].Name, even[1].Name, follows[0].Name)
	}

	_, quoted, _ := strings.Cut(page, "## Let cost advise")
	blocks := fenced.FindAllStringSubmatch(quoted, -1)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of code, want a command and what it prints", len(blocks))
	}
	call(t, strings.Fields(blocks[0][1])[1:]...).Want(t, exitOK, blocks[1][1])
}

// row is the beginning of a row of a table.
func row(cells ...string) string { return "|" + strings.Join(cells, "|") + "|" }

// column is a layout of timelines, in the rows of the page.
type column struct{ post, follow, clients, feed, usdClients, usdFeed string }

func columnOf(t *testing.T, r estimate.Report, layout string) column {
	t.Helper()
	of := func(name string) string { return documents(operationOf(t, r.Timelines, name, layout).Writes) }
	c := column{post: of("post"), follow: of("follow with 100 posts")}
	for _, w := range r.Layouts {
		switch {
		case w.Layout != layout:
		case w.Name == estimate.WayTimeline:
			c.clients, c.usdClients = documents(w.PageReads), console.Dollars(w.High)
		default:
			c.feed, c.usdFeed = documents(w.PageReads), console.Dollars(w.High)
		}
	}
	return c
}

func wayOf(t *testing.T, r estimate.Report, name string) estimate.Way {
	t.Helper()
	n := slices.IndexFunc(r.Ways, func(w estimate.Way) bool { return w.Name == name })
	if n < 0 {
		t.Fatalf("no way %q", name)
	}
	return r.Ways[n]
}

// documents is a number of documents, as cost prints it.
func documents(n float64) string {
	if n != math.Trunc(n) && n < 100 {
		return fmt.Sprintf("%.1f", n)
	}
	return console.Grouped(math.Round(n))
}

func operationOf(t *testing.T, all []estimate.Operation, name, column string) prices.Counts {
	t.Helper()
	n := slices.IndexFunc(all, func(op estimate.Operation) bool { return op.Name == name })
	if n < 0 {
		t.Fatalf("no operation %q", name)
	}
	return all[n].Costs[column]
}
