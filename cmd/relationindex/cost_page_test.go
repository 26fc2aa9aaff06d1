package main

import (
	"math"
	"os"
	"strings"
	"testing"

	"example.com/relationindex/internal/console"
	"example.com/relationindex/prices"
)

// docs/cost.md has the numbers that cost prints for the commands that it names.
func TestThePageOnCostSaysWhatCostPrints(t *testing.T) {
	file, err := os.ReadFile("../../docs/cost.md")
	if err != nil {
		t.Fatal(err)
	}
	layout := costOf(t, strings.Fields("--followers 2000 --posts 10 --feed-reads 20000")...)
	timelines := []string{prices.Items, prices.CappedItems, prices.Buckets, prices.Ring, prices.Days}
	usd := func(feed bool, forms ...string) (cells []string) {
		for _, form := range forms {
			cells = append(cells, console.Dollars(monthOf(t, layout, form, feed).USD))
		}
		return cells
	}
	want := []string{
		row("read by clients", usd(false, append(timelines, prices.Relations)...)...),
		row("read through Feed", usd(true, append(timelines, prices.Relations, prices.Pull)...)...),
	}
	for label, name := range map[string]string{
		"post": prices.Post, "its event again": "its event again", "hide a post": "hide a post", "edit of what entries copy": "edit",
		"post to readers without a timeline": "post to readers without a timeline", "another audience, as large": "another audience, as large",
		"follow without a backfill": "follow without a backfill", "follow with 100 posts": prices.Follow, "unfollow": "unfollow",
		"page of 20 by a client": prices.ClientPage, "page of 20 through Feed": prices.FeedPage,
		"edit of a post's kind": "edit of a post's kind", "a reader hides this author, the only one": "a reader hides the author",
		"a reader of this author alone returns": "an idle reader returns", "shows it again": "shows the post again",
	} {
		var cells []string
		for _, form := range timelines {
			o := prices.Find(layout.Author.Operations(form), name)
			cells = append(cells, documents(o.Reads)+" / "+documents(o.Writes)+" / "+documents(o.Deletes))
		}
		want = append(want, row(label, cells...))
	}
	wide, narrow := costOf(t, "--followers", "20000000", "--posts", "10"), costOf(t, "--followers", "20000000", "--posts", "10", "--capacity", "500")
	for label, m := range map[string]prices.Month{
		"relations, by clients": {Form: prices.Relations}, "relations, by [Feed](feed.md)": {Form: prices.Relations, Feed: true},
		"items, by clients": {Form: prices.Items}, "pull, by Feed": {Form: prices.Pull, Feed: true},
	} {
		of := monthOf(t, wide, m.Form, m.Feed).USD
		with := monthOf(t, narrow, m.Form, m.Feed).USD
		want = append(want, row(label, documents(math.Round(of)), documents(math.Round(with))))
	}
	for _, line := range want {
		if !strings.Contains(string(file), line) {
			t.Errorf("the page does not say %q", line)
		}
	}
}
