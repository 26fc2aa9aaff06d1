package main

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"example.com/relationindex/cmd/relationindex/internal/cost"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/prices"
)

// docs/cost.md has the numbers that cost prints for the commands that it names.
func TestCostPageMatchesCostOutput(t *testing.T) {
	file, err := os.ReadFile("../../docs/cost.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(file)
	want := append(presetRows(t), horizonRows(t)...)
	want = append(append(want, capacityRows(t)...), layoutRows(t)...)
	for _, line := range want {
		if !strings.Contains(page, line) {
			t.Errorf("the page does not say %q", line)
		}
	}
	_, following, ok := strings.Cut(page, "they add ")
	if usd, _, _ := strings.Cut(following, " USD for posts"); !ok || !strings.Contains(call(t, append(strings.Fields(app), "--backfill", "20")...).Stdout, "cost "+usd+" USD more for posts") {
		t.Errorf("settings add %q USD for posts: cost does not say that", usd)
	}
}

// presetRows are those of an app, and of authors, with each preset.
func presetRows(t *testing.T) (rows []string) {
	t.Helper()
	for _, preset := range []struct {
		name, flag, form string
		feed             bool
		followers        []int
	}{
		{"small", "--capacity 500", prices.Relations, false, []int{100, 1_000, 5_000}},
		{"popular", "--horizon 720h", prices.Relations, true, []int{10_000, 1_000_000, 20_000_000}},
		{"inbox", "--backfill 20", prices.Ring, false, []int{2_000, 100_000, 1_000_000}},
	} {
		of := func(args string) prices.Month {
			return monthOf(t, costOf(t, strings.Fields(args+" "+preset.flag)...), preset.form, preset.feed)
		}
		m := of(strings.TrimPrefix(app, "cost "))
		rows = append(rows, row(preset.name, "`"+preset.flag+"`", whole(m.Used.Reads), whole(m.Used.Writes), whole(m.Used.Deletes), console.Bytes(m.Stored), console.Bytes(m.Egress), console.Dollars(m.USD)))
		for _, f := range preset.followers {
			m := of("--followers " + strconv.Itoa(f))
			rows = append(rows, row(console.Grouped(f), documents(prices.Find(m.Operations, prices.Post).Writes), documents(prices.Find(m.Operations, prices.Follow).Writes), console.Bytes(m.Egress), console.Dollars(m.USD)))
		}
	}
	return rows
}

// horizonRows are those of the horizons that are compared.
func horizonRows(t *testing.T) (rows []string) {
	t.Helper()
	for _, horizon := range []string{"none", "2160h", "720h", "168h"} {
		args := "--followers 100000 --posts 3 --kept-posts 500 --follows 300 --unfollows 60 --feed-reads 0"
		if horizon != "none" {
			args += " --horizon " + horizon
		}
		m := monthOf(t, costOf(t, strings.Fields(args)...), prices.Relations, true)
		rows = append(rows, row(horizon, whole(m.Used.Writes), console.Bytes(m.Stored), console.Dollars(m.USD)))
	}
	return rows
}

// capacityRows are those of an author with 20,000,000 followers.
func capacityRows(t *testing.T) (rows []string) {
	t.Helper()
	wide, narrow := costOf(t, "--followers", "20000000", "--posts", "10"), costOf(t, "--followers", "20000000", "--posts", "10", "--capacity", "500")
	for label, m := range map[string]prices.Month{
		"relations, by clients": {Form: prices.Relations}, "relations, by [Feed](feed.md)": {Form: prices.Relations, Feed: true},
		"items, by clients": {Form: prices.Items}, "pull, by Feed": {Form: prices.Pull, Feed: true},
	} {
		usd := func(r cost.Result) string { return whole(monthOf(t, r, m.Form, m.Feed).USD) }
		rows = append(rows, row(label, usd(wide), usd(narrow)))
	}
	return rows
}

// layoutRows are those of the layouts of timelines.
func layoutRows(t *testing.T) []string {
	t.Helper()
	layout := costOf(t, strings.Fields("--followers 2000 --posts 10 --feed-reads 20000")...)
	timelines := []string{prices.Items, prices.CappedItems, prices.Buckets, prices.Ring, prices.Days}
	usd := func(feed bool, forms ...string) (cells []string) {
		for _, form := range forms {
			cells = append(cells, console.Dollars(monthOf(t, layout, form, feed).USD))
		}
		return cells
	}
	rows := []string{
		row("read by clients", usd(false, append(timelines, prices.Relations)...)...),
		row("read through Feed", usd(true, append(timelines, prices.Relations, prices.Pull)...)...),
	}
	for label, name := range map[string]string{
		"post": prices.Post, "edit of what entries copy": "edit", "follow with 100 posts": prices.Follow, "unfollow": "unfollow",
		"page of 20 by a client": prices.ClientPage,
	} {
		var cells []string
		for _, form := range timelines {
			o := prices.Find(layout.Author.Operations(form), name)
			cells = append(cells, documents(o.Reads)+" / "+documents(o.Writes)+" / "+documents(o.Deletes))
		}
		rows = append(rows, row(label, cells...))
	}
	return rows
}

// whole is a number without a fraction, as cost prints those of a month.
func whole(n float64) string { return console.Grouped(math.Round(n)) }
