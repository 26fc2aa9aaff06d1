package weather

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// mostTimes is the largest factor by which others may wait longer than on a quiet day, at p99.
const mostTimes = 2

// table prints each row as it comes, so a run that is cut short has its first rows.
type table struct {
	base map[string]time.Duration // p99 of others on a quiet day, by kind
}

var headers = []string{"case", "what", "n", "p50", "p99", "max", "no-op p50", "no-op p99", "no-op max", "p99 / quiet", "emulator", "wrote for", "at rest after"}

func newTable() *table {
	fmt.Fprintln(os.Stdout, "\nTime to feed in production's weather, without bursts of errors. Beside it a trigger that does nothing (no-op).")
	fmt.Fprint(os.Stdout, "Flags:")
	flag.VisitAll(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") {
			fmt.Fprintf(os.Stdout, " -%s=%s", f.Name, f.Value)
		}
	})
	fmt.Fprintln(os.Stdout)
	printRow(headers)
	return &table{base: map[string]time.Duration{}}
}

// share formats the emulator's share of the processors. It marks a share above a half: such a row measures the emulator, not the
// functions.
func share(emulator float64) string {
	text := fmt.Sprintf("%.0f %%", 100*emulator)
	if emulator > 0.5 {
		text += " !"
	}
	return text
}

func printRow(cells []string) {
	line := fmt.Sprintf("  %-36s %-34s", cells[0], cells[1])
	for n, cell := range cells[2:] {
		line += fmt.Sprintf(" %*s", max(8, len(headers[n+2])), cell)
	}
	fmt.Fprintln(os.Stdout, strings.TrimRight(line, " "))
}

// add prints a row for each kind, and below the rows the reasons if something is wrong, or if there is no quiet day to compare with. It fails the benchmark if something is
// missing or did not end, and not if others only waited for too long.
func (t *table) add(tb testing.TB, what string, r result, kinds ...string) {
	tb.Helper()
	wrong := r.err != nil || r.left != "" || what != "quiet" && len(t.base) == 0
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
		n0 := fmt.Sprint(len(feed))
		if never > 0 {
			n0 += fmt.Sprintf(", %d never", never)
		}
		cells := append([]string{what, kind, n0}, append(feed.cells(), bare.cells()...)...)
		cells = append(cells, ofQuiet)
		if n == 0 {
			cells = append(cells, share(r.emulator), fmt.Sprintf("%.0f s", r.wrote.Seconds()), fmt.Sprintf("%.0f s", r.rest.Seconds()))
		}
		printRow(cells)
		if wrong = wrong || never > 0; never > 0 {
			tb.Errorf("%s: %d %s never reached a reader", what, never, kind)
		}
		if len(feed) == 0 {
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
