package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Result is the result of one run.
type Result struct {
	Seed uint64
	// Counts says what the run had, by name: a run without kills, say, tests less than its options say.
	Counts map[string]int64
	// Differences is their number, and Shown has the first ones.
	Differences int
	Shown       []string
	Logs        string // directory of the system's logs; "": there is no difference
}

// String describes the run on one line.
func (r Result) String() string {
	words := []string{fmt.Sprintf("seed %d: %d differences", r.Seed, r.Differences)}
	for _, name := range slices.Sorted(maps.Keys(r.Counts)) {
		words = append(words, fmt.Sprintf("%d %s", r.Counts[name], name))
	}
	return strings.Join(words, ", ")
}

// maxShown is the number of differences that are kept. All are counted.
const maxShown = 40

// findings collects what goroutines report and count.
type findings struct {
	mu          sync.Mutex
	differences int
	shown       []string
	counts      map[string]int64
}

func (f *findings) report(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.differences++; f.differences <= maxShown {
		f.shown = append(f.shown, fmt.Sprintf(format, args...))
	}
}

// told reports the differences of one reader.
func (f *findings) told(what string, wrong []string) {
	const most = 3
	if len(wrong) > most {
		wrong = append(wrong[:most:most], fmt.Sprintf("and %d more", len(wrong)-most))
	}
	if len(wrong) > 0 {
		f.report("%s: %s", what, strings.Join(wrong, "; "))
	}
}

// count adds to a count.
func (f *findings) count(name string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.counts == nil {
		f.counts = map[string]int64{}
	}
	f.counts[name] += int64(n)
}

// require reports each of the names whose count is 0.
func (f *findings) require(names ...string) {
	for _, name := range names {
		f.count(name, 0)
		if f.counts[name] == 0 {
			f.report("the run had no %s: it tests less than it says", name)
		}
	}
}
