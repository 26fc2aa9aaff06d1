package main

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"example.com/relationindex/cmd/relationindex/internal/cost"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/prices"
)

// The page on choosing has the numbers that cost prints for the commands that it names.
func TestChoosingPageMatchesCostOutput(t *testing.T) {
	file, err := os.ReadFile("../../docs/choosing.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(file)
	example := func(more ...string) cost.Result {
		return costOf(t, append([]string{"--followers", "1000000", "--kept-posts", "1000"}, more...)...)
	}
	base, horizon, timelines := example(), example("--horizon", "720h"), example("--backfill", "20")

	// column is a way to read, and what cost says of it.
	type column struct {
		cost.Result
		form string
		feed bool
		flag string
	}
	columns := []column{
		{example("--capacity", "500"), prices.Relations, false, "`--capacity 500`"},
		{horizon, prices.Relations, true, "`--horizon 720h`"},
		{timelines, prices.Ring, false, "`--backfill 20`"},
		{timelines, prices.Items, false, "`--backfill 20`"},
	}
	of := func(cell func(c column) string) (cells []string) {
		for _, c := range columns {
			cells = append(cells, cell(c))
		}
		return cells
	}
	operation := func(c column, name string) prices.Operation {
		return prices.Find(monthOf(t, c.Result, c.form, c.feed).Operations, name)
	}
	usd := func(r cost.Result, form string, feed bool) string {
		return console.Dollars(monthOf(t, r, form, feed).USD)
	}
	for _, want := range []string{
		row("writes of a post", of(func(c column) string {
			o := operation(c, prices.Post)
			if o.Deletes > 0 {
				return documents(o.Writes) + ", and " + documents(o.Deletes) + " deletes"
			}
			return documents(o.Writes)
		})...),
		row("writes of a follow", of(func(c column) string { return documents(operation(c, prices.Follow).Writes) })...),
		row("reads of a page", of(func(c column) string {
			if c.feed {
				return documents(operation(c, prices.FeedPage).Reads)
			}
			return documents(operation(c, prices.ClientPage).Reads)
		})...),
		row("USD a month", of(func(c column) string { return usd(c.Result, c.form, c.feed) })...),
		row("flag of `cost`", of(func(c column) string { return c.flag })...),
		"a month by Feed is " + usd(horizon, prices.Relations, true) + " USD in place of " + usd(base, prices.Relations, true),
		"1,000,000 takes " + minutes(t, 1_000_000), "to 20,000,000, " + minutes(t, 20_000_000),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}

	even := costOf(t, strings.Fields("--followers 1000000 --backfill 0")...).Months
	follows := costOf(t, strings.Fields("--followers 1000000 --follows 100000 --feed-reads 50000")...).Months
	younger := costOf(t, strings.Fields("--followers 1000000 --follows 100000 --feed-reads 50000 --horizon 720h")...)
	for _, want := range []string{
		"has " + console.Dollars(even[0].USD) + " and " + console.Dollars(even[1].USD) + " USD a month",
		"has " + console.Dollars(follows[0].USD) + " USD a month for pull, and with `--horizon 720h` " + usd(younger, prices.Relations, true) + " for relations by Feed",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if even[0].Form != prices.Relations || even[1].Form != prices.Ring || follows[0].Form != prices.Pull {
		t.Errorf("the cheapest are %s and %s, and %s", even[0].Form, even[1].Form, follows[0].Form)
	}

	_, quoted, _ := strings.Cut(page, "## Let cost advise")
	blocks := fenced.FindAllStringSubmatch(quoted, -1)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of code, want a command and what it prints", len(blocks))
	}
	call(t, strings.Fields(blocks[0][1])[1:]...).Want(t, exitOK, blocks[1][1])
}

// minutes is how long cost says that a post to so many timelines takes.
func minutes(t *testing.T, followers int) string {
	t.Helper()
	out := call(t, "cost", "--followers", fmt.Sprint(followers))
	found := regexp.MustCompile(`a post takes (\d+ minutes)`).FindStringSubmatch(out.Stdout)
	if found == nil {
		t.Fatalf("it does not say how long a post takes:\n%s", out.Stdout)
	}
	return found[1]
}

// row is the beginning of a row of a table.
func row(name string, cells ...string) string {
	return "|" + name + "|" + strings.Join(cells, "|") + "|"
}

// documents is a number of documents, as cost prints it.
func documents(n float64) string {
	if n != math.Trunc(n) && n < 100 {
		return fmt.Sprintf("%.1f", n)
	}
	return console.Grouped(math.Round(n))
}
