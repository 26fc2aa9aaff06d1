package costing

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/relationindex/internal/console"
	"example.com/relationindex/prices/estimate"
	"example.com/relationindex/schema"
)

// printCost prints a report for a person.
func printCost(out io.Writer, r estimate.Report) error {
	in := r.Inputs
	fmt.Fprintf(out, "An author with %s followers in %s index documents, and %d posts. Each day %s, %s and %s of %d posts.\n",
		console.Grouped(in.Followers), console.Grouped(r.IndexDocuments), in.KeptPosts,
		console.Counted(in.Posts, "post"), console.Counted(in.Follows, "follow"), console.Counted(in.FeedReads, "page"), in.PageSize)

	fmt.Fprintln(out, "\nOne operation, with the client's own write: reads / writes / deletes")
	headers := append([]string{""}, estimate.Designs...)
	err := console.Table(out, "  ", headers, operationsTable(r.Operations, estimate.Designs))

	fmt.Fprintf(out, "\nTimelines%s: one operation, reads / writes / deletes\n", beside(in))
	err = errors.Join(err, console.Table(out, "  ", append([]string{""}, layoutsOf(in)...), operationsTable(r.Timelines, estimate.Layouts)))

	fmt.Fprintln(out, "\nA month of 30 days")
	err = errors.Join(err, console.Table(out, "  ", headers, [][]string{
		months("reads", r, func(m estimate.Month) string { return console.Grouped(m.Usage.Reads) }),
		months("writes", r, func(m estimate.Month) string { return console.Grouped(m.Usage.Writes) }),
		months("deletes", r, func(m estimate.Month) string { return console.Grouped(m.Usage.Deletes) }),
		months("calls of functions", r, func(m estimate.Month) string { return console.Grouped(m.Usage.Invocations) }),
		months("storage", r, func(m estimate.Month) string { return console.Bytes(m.Usage.Storage.Total()) }),
		months("  of it indexes", r, func(m estimate.Month) string { return console.Bytes(m.Usage.Storage.IndexBytes) }),
		months("one page", r, func(m estimate.Month) string { return console.Bytes(m.Page) }),
		months("egress", r, func(m estimate.Month) string { return console.Bytes(m.Usage.EgressBytes) }),
	}))

	p := r.Prices
	fmt.Fprintf(out, "\nThe bill of that month in USD, at %s of %s\n", listOf(p), p.Location)
	err = errors.Join(err, console.Table(out, "  ", headers, [][]string{
		months("reads", r, func(m estimate.Month) string { return console.Dollars(m.Bill.Reads) }),
		months("writes", r, func(m estimate.Month) string { return console.Dollars(m.Bill.Writes) }),
		months("deletes", r, func(m estimate.Month) string { return console.Dollars(m.Bill.Deletes) }),
		months("calls of functions", r, func(m estimate.Month) string { return console.Dollars(m.Bill.Calls) }),
		months("storage", r, func(m estimate.Month) string { return console.Dollars(m.Bill.Storage) }),
		months("egress", r, func(m estimate.Month) string { return console.Dollars(m.Bill.Egress) }),
		months("TOTAL", r, func(m estimate.Month) string { return console.Dollars(m.Bill.Total) }),
	}))

	fmt.Fprintln(out, "\nWays to read, USD a month")
	err = errors.Join(err, console.Table(out, "  ", []string{"", "horizon, layout", "a page reads", "a month"}, waysTable(r)))

	fmt.Fprintln(out, "\nOther horizons, USD a month")
	err = errors.Join(err, console.Table(out, "  ", []string{"horizon", estimate.WayClients, estimate.WayFeed}, horizonsTable(r)))

	fmt.Fprintln(out, "\nLayouts of timelines, USD a month")
	err = errors.Join(err, console.Table(out, "  ", []string{"", estimate.WayTimeline, estimate.WayTimelineFeed}, layoutsTable(r)))

	fmt.Fprintf(out, "\nPrices, read in %s\n", estimate.PricesDate)
	err = errors.Join(err, console.Table(out, "  ", []string{"", "USD", "for", "source"}, pricesTable(p), 3))
	fmt.Fprintf(out, `
Not in the bill: free quotas, the time that functions compute, reads that
security rules make, reads for the brake, listeners, backups. Storage of the relation index would be
%s if production charged two index entries for each element of an array,
as it counts where it checks its limits.
`, console.Bytes(r.WorstStorage.Total()))
	return errors.Join(err, printAdvice(out, r))
}

func months(name string, r estimate.Report, value func(estimate.Month) string) []string {
	row := []string{name}
	for _, m := range r.Months {
		row = append(row, value(m))
	}
	return row
}

func operationsTable(operations []estimate.Operation, columns []string) (rows [][]string) {
	for _, op := range operations {
		row := []string{op.Name}
		for _, column := range columns {
			c, ok := op.Costs[column]
			if !ok { // there is no such operation
				row = append(row, "")
				continue
			}
			row = append(row, amount(c.Reads)+" / "+amount(c.Writes)+" / "+amount(c.Deletes))
		}
		rows = append(rows, row)
	}
	return rows
}

// amount is a number of documents, which may be a mean.
func amount(n float64) string {
	if n != math.Trunc(n) && n < 100 {
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	return console.Grouped(math.Round(n))
}

// beside says what timelines have beside them.
func beside(in estimate.Inputs) string {
	if in.RelationsOff {
		return " alone"
	}
	return " with relations beside them"
}

// layoutsOf are the layouts as a person reads them.
func layoutsOf(in estimate.Inputs) (names []string) {
	for _, layout := range estimate.Layouts {
		name, kept := layout, keptIn(in, layout)
		if layout == schema.LayoutBuckets {
			name = fmt.Sprintf("%s of %d", layout, in.Bucket)
		}
		if kept > 0 {
			name += fmt.Sprintf(", %d kept", kept)
		}
		names = append(names, name)
	}
	return names
}

// keptIn is how many entries a timeline of a layout keeps; 0: all.
func keptIn(in estimate.Inputs, layout string) int {
	switch layout {
	case schema.LayoutItems:
		return in.Cap
	case schema.LayoutBuckets:
		return in.KeptInBuckets()
	}
	return 0
}

func layoutsTable(r estimate.Report) (rows [][]string) {
	for n, name := range layoutsOf(r.Inputs) {
		rows = append(rows, []string{name, console.Dollars(r.Layouts[2*n].High), console.Dollars(r.Layouts[2*n+1].High)})
	}
	return rows
}

func waysTable(r estimate.Report) (rows [][]string) {
	for _, w := range r.Ways {
		usd, reads := console.Dollars(w.High), amount(w.PageReads)
		if w.Low < w.High {
			usd = console.Dollars(w.Low) + " to " + usd + ", not proven"
			reads = "up to " + reads + " units"
		}
		rows = append(rows, []string{w.Name, horizonOf(w), reads, usd})
	}
	return rows
}

func horizonsTable(r estimate.Report) (rows [][]string) {
	for two := range slices.Chunk(r.Horizons, 2) {
		rows = append(rows, []string{horizonOf(two[0]), console.Dollars(two[0].High), console.Dollars(two[1].High)})
	}
	return rows
}

func horizonOf(w estimate.Way) string {
	switch {
	case w.Layout != "":
		return w.Layout
	case slices.Contains([]string{estimate.OnWrite, estimate.OnRead, estimate.WayPipeline}, w.Name):
		return ""
	case w.Horizon == 0:
		return "none"
	}
	return console.Hours(w.Horizon)
}

func listOf(p estimate.Prices) string {
	if len(p.Changed) == 0 {
		return "the list prices"
	}
	return "the list prices, with " + strings.Join(p.Changed, ", ") + " changed,"
}

func pricesTable(p estimate.Prices) [][]string {
	var rows [][]string
	for _, s := range estimate.Sources {
		source := s.Found
		switch {
		case p.IsChanged(s.Price):
			source = "yours"
		case !s.Proven:
			source = "not proven: " + source
		}
		rows = append(rows, []string{s.Price, strconv.FormatFloat(p.USD(s.Price), 'f', -1, 64), s.Unit, source})
	}
	return rows
}
