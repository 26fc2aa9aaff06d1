package cost

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/relationindex/internal/console"
	"example.com/relationindex/prices"
)

// printMonths prints the months of all forms, and advice.
func printMonths(out io.Writer, a prices.Author, list prices.List, location string) error {
	months := a.Months(list)
	fmt.Fprintf(out, "%s\nA month of 30 days, in USD at the prices of %s:\n\n", subject(a), location)
	var rows [][]string
	for _, m := range months {
		rows = append(rows, []string{
			label(a, m), amount(m.Used.Reads), amount(m.Used.Writes), amount(m.Used.Deletes),
			console.Bytes(m.Stored), console.Bytes(m.Egress), console.Dollars(m.USD),
		})
	}
	err := console.Table(out, "  ", []string{"", "reads", "writes", "deletes", "stored", "egress", "USD"}, rows)
	fmt.Fprintf(out, "\n%s\n", strings.Join(advice(a, list, months), "\n"))
	return err
}

// subject returns a sentence that names the priced workload.
func subject(a prices.Author) string {
	posts, kept, pages := console.Counted(a.Posts, "post"), console.Counted(a.Kept, "post"), console.Counted(a.Pages, "page")
	if a.Users > 0 {
		return fmt.Sprintf("An app of %s, who follow %s each and have %s. Each day, each has %s and %s.",
			console.Counted(a.Users, "user"), console.Grouped(a.Following), kept, posts, pages)
	}
	return fmt.Sprintf("An author with %s in %s, and %s. Each day %s, %s and %s.",
		console.Counted(a.Followers, "follower"), console.Counted(a.IndexDocuments(), "index document"), kept,
		posts, console.Counted(a.Follows, "follow"), pages)
}

// label returns the name of a form, with its reader: clients or Feed.
func label(a prices.Author, m prices.Month) string {
	name := m.Form
	switch m.Form {
	case prices.Relations:
		if a.Horizon > 0 {
			name += " of " + console.Hours(a.Horizon)
		}
	case prices.CappedItems, prices.Ring:
		name += " of " + console.Grouped(a.Timelines(m.Form).Cap)
	case prices.Buckets:
		name += " of " + console.Grouped(a.Bucket)
	}
	if m.Feed {
		return name + ", by Feed"
	}
	return name + ", by clients"
}

// printOperations prints the cost of each operation in each form.
func printOperations(out io.Writer, a prices.Author) error {
	fmt.Fprintf(out, "%s\nOne operation, with the client's own write: reads / writes / deletes\n\n", subject(a))
	var rows [][]string
	for column, form := range prices.Forms {
		for _, o := range a.Operations(form) {
			n := slices.IndexFunc(rows, func(row []string) bool { return row[0] == o.Name })
			if n < 0 {
				n = len(rows)
				rows = append(rows, append([]string{o.Name}, make([]string, len(prices.Forms))...))
			}
			rows[n][1+column] = amount(o.Reads) + " / " + amount(o.Writes) + " / " + amount(o.Deletes)
		}
	}
	return console.Table(out, "  ", append([]string{""}, prices.Forms...), rows)
}

// amount returns a number of documents as text. The number may be a mean.
func amount(n float64) string {
	if n != math.Trunc(n) && n < 100 {
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	return console.Grouped(math.Round(n))
}
