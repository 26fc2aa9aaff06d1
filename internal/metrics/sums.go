package metrics

import (
	"slices"
	"sync"
	"time"
)

// Run is what one run of a function did.
type Run struct {
	Function, Outcome               string
	Reads, Writes, Deletes, Retries int64
	Lag                             *time.Duration // from the event's time to the end; nil: not known, or not done
	BudgetLeft                      *time.Duration // of a step of a job; nil: it was none
}

// The upper bounds of histograms, in seconds.
var (
	lagBounds    = []float64{0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 6 * 3600, 24 * 3600}
	budgetBounds = []float64{0, 1, 5, 10, 30, 60, 120, 240, 360, 480}
)

// sums are all metrics of a process.
type sums struct {
	mu                             sync.Mutex
	runs, documents, retries, jobs *series
	lag, budgetLeft                *series
	inOrder                        []*series
}

func newSums() *sums {
	s := &sums{}
	add := func(name, unit, description string, bounds []float64) *series {
		m := &series{name: name, unit: unit, description: description, bounds: bounds, points: map[attributes]*point{}}
		s.inOrder = append(s.inOrder, m)
		return m
	}
	s.runs = add("relationindex.runs", "{run}", "Runs of functions, by outcome.", nil)
	s.documents = add("relationindex.documents", "{document}", "Documents read, written and deleted, as Firestore bills them.", nil)
	s.retries = add("relationindex.retries", "{call}", "Calls to Firestore that failed and were made again.", nil)
	s.jobs = add("relationindex.jobs.failed", "{job}", "Jobs that failed for good, by kind.", nil)
	s.lag = add("relationindex.lag", "s", "From the time of an event until it was handled.", lagBounds)
	s.budgetLeft = add("relationindex.step.budget_left", "s", "What was left of the time of a job's step when it ended.", budgetBounds)
	return s
}

func (s *sums) run(r Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs.add(1, attributes{{"function", r.Function}, {"outcome", r.Outcome}})
	for operation, n := range map[string]int64{"read": r.Reads, "write": r.Writes, "delete": r.Deletes} {
		s.documents.add(n, attributes{{"function", r.Function}, {"operation", operation}})
	}
	s.retries.add(r.Retries, attributes{{"function", r.Function}})
	if r.Lag != nil {
		s.lag.observe(r.Lag.Seconds(), attributes{{"function", r.Function}})
	}
	if r.BudgetLeft != nil {
		s.budgetLeft.observe(r.BudgetLeft.Seconds(), attributes{{"function", r.Function}})
	}
}

func (s *sums) jobFailed(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs.add(1, attributes{{"kind", kind}})
}

// attributes tell the points of a series apart; an empty key is none.
type attributes [2]struct{ key, value string }

// series is a counter or, with bounds, a histogram.
type series struct {
	name, unit, description string
	bounds                  []float64
	points                  map[attributes]*point
}

// point is what was counted under one set of attributes.
type point struct {
	count   int64   // of a counter its sum, of a histogram its observations
	sum     float64 // of observations
	buckets []int64 // one more than bounds: observations up to each, and above the last
}

func (s *series) at(a attributes) *point {
	p, ok := s.points[a]
	if !ok {
		p = &point{}
		if s.bounds != nil {
			p.buckets = make([]int64, len(s.bounds)+1)
		}
		s.points[a] = p
	}
	return p
}

func (s *series) add(n int64, a attributes) {
	if n > 0 {
		s.at(a).count += n
	}
}

func (s *series) observe(v float64, a attributes) {
	p := s.at(a)
	p.count++
	p.sum += v
	i, _ := slices.BinarySearch(s.bounds, v) // a bound belongs to its bucket
	p.buckets[i]++
}
