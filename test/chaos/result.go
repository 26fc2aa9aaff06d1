package chaos

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Result is the result of one run.
type Result struct {
	Seed       uint64
	Operations int
	Events     int64 // received by the broker from the emulator
	Redelivered,
	Duplicated,
	Dropped int64 // deliveries
	Lost      int64 // events, for good
	Mended    int64 // documents that sampling found wrong
	Waited    int   // jobs that waited while the brake was on
	Late      int64 // times that work waited for an account's hour
	Kills     int64 // of worker processes
	Refused   int   // writes rejected by the rules
	Faults    int64 // answers of Firestore that were replaced or delayed
	Jobs      int   // runs of jobs
	Swept     int   // jobs that Sweep queued again, as far as observed
	Writes    int64 // writes and deletes of the functions, as billed
	Wall      time.Duration
	Timelines *Tally   // nil: there are no timelines
	Counted   *Counted // nil: nothing is counted
	// Differences is the number of differences, Kinds counts them by their text, and Shown has the first
	// ones.
	Differences int
	Kinds       map[string]int
	Shown       []string
	Logs        string // directory of the system's logs; "": there is no difference
}

var headers = []string{
	"seed", "operations", "events", "redeliveries", "duplicates", "dropped",
	"kills", "faults", "refused", "jobs", "writes", "time", "differences",
}

// Headers are the names above the columns of [Result.Row].
func Headers() string { return columns(slices.Clone(headers)) }

// Row returns the result as a row of a table.
func (r Result) Row() string {
	row := []string{fmt.Sprint(r.Seed), fmt.Sprint(r.Operations)}
	for _, n := range []int64{r.Events, r.Redelivered, r.Duplicated, r.Dropped, r.Kills, r.Faults, int64(r.Refused), int64(r.Jobs), r.Writes} {
		row = append(row, fmt.Sprint(n))
	}
	return columns(append(row, r.Wall.Round(time.Second).String(), fmt.Sprint(r.Differences)))
}

// columns aligns cells without later rows: each run takes minutes.
func columns(cells []string) string {
	for n, cell := range cells {
		cells[n] = fmt.Sprintf("%*s", max(6, len(headers[n])), cell)
	}
	return strings.Join(cells, "  ")
}

// maxShown is the number of differences that are kept. All are counted.
const maxShown = 40

// differences collects the reports of goroutines.
type differences struct {
	mu    sync.Mutex
	count int
	kinds map[string]int
	shown []string
}

// kinds are parts of the texts of differences. The first one that a text contains is its kind.
var kinds = []string{
	"feed of", "pages of", "first page of", "what they decided last", "missing, though they follow", "missing, though it has been among the newest",
	"missing, though it names", "missing, though it is their own", "older than the follow", "blocks its author", "not been among its audience",
	"never been among its audience", "is gone, or nobody may read it", "the reader hides", "stands at", "comes after", "is there twice",
	"has the mark", " shows ", "want at most", "verify-timelines", "counts of", "tells of nobody", "is missing: ", "notification ", "names user-", "failed:",
}

func (d *differences) report(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	text, kind := fmt.Sprintf(format, args...), "others"
	for _, k := range slices.Backward(kinds) {
		if strings.Contains(text, k) {
			kind = strings.TrimSpace(k)
		}
	}
	if d.kinds == nil {
		d.kinds = map[string]int{}
	}
	d.kinds[kind]++
	if d.count++; d.count <= maxShown {
		d.shown = append(d.shown, text)
	}
}
