package weather

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// mostTimes is how much longer than on a quiet day others may wait, at p99, when something else goes on.
const mostTimes = 2

// table prints its rows as they come: a run that is cut short has those before.
type table struct {
	base map[string]time.Duration // p99 of others on a quiet day, by kind
}

var headers = []string{"case", "of", "n", "p50", "p99", "most", "bare p50", "p99", "most", "p99 / quiet", "emulator", "wrote for", "at rest after"}

func newTable() *table {
	fmt.Fprintln(os.Stdout, "\nTime to feed in production's weather, without spells. Beside it a trigger that does nothing.")
	fmt.Fprint(os.Stdout, "Sizes, and what waits of minutes and hours are multiplied by:")
	flag.VisitAll(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") {
			fmt.Fprintf(os.Stdout, " -%s=%s", f.Name, f.Value)
		}
	})
	fmt.Fprintln(os.Stdout)
	printRow(headers)
	return &table{base: map[string]time.Duration{}}
}

func printRow(cells []string) {
	line := fmt.Sprintf("  %-36s %-34s", cells[0], cells[1])
	for n, cell := range cells[2:] {
		line += fmt.Sprintf(" %*s", max(8, len(headers[n+2])), cell)
	}
	fmt.Fprintln(os.Stdout, strings.TrimRight(line, " "))
}

// add prints a row for each kind, and below them the reasons if others waited for too long or something did not end. Then it
// fails the benchmark if something is wrong.
func (t *table) add(tb testing.TB, what string, r result, kinds ...string) {
	tb.Helper()
	wrong := r.err != nil || r.left != ""
	for n, kind := range kinds {
		feed, never, bare := timesOf(r.samples, kind)
		p99, ofQuiet := feed.p99(), ""
		if what == "quiet" {
			t.base[kind] = p99
		} else if base := t.base[kind]; base > 0 && p99 > 0 {
			times := p99.Seconds() / base.Seconds()
			ofQuiet = fmt.Sprintf("%.1f", times)
			if times > mostTimes {
				ofQuiet += " !"
				wrong = true
			}
		}
		cells := append([]string{what, kind, fmt.Sprint(len(feed))}, append(feed.cells(), bare.cells()...)...)
		cells = append(cells, ofQuiet)
		if n == 0 {
			cells = append(cells, fmt.Sprintf("%.0f %%", 100*r.emulator), fmt.Sprintf("%.0f s", r.wrote.Seconds()), fmt.Sprintf("%.0f s", r.rest.Seconds()))
		}
		printRow(cells)
		if wrong = wrong || never > 0; never > 0 {
			tb.Errorf("%s: %d %s never reached a reader", what, never, kind)
		}
		if len(feed)+never == 0 {
			tb.Errorf("%s: no %s", what, kind)
		}
	}
	if wrong {
		for _, reason := range r.reasons {
			fmt.Fprintln(os.Stdout, "      "+reason)
		}
	}
	if r.err != nil {
		tb.Errorf("%s: %v", what, r.err)
	}
	if r.left != "" {
		tb.Errorf("%s: not at rest: %s", what, r.left)
	}
}
