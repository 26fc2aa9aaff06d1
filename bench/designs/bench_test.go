package designs_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/bench/designs"
	"example.com/relationindex/internal/cli/cost"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/runtime/wire"
	"example.com/relationindex/schema"
)

// BenchmarkDesigns is the same workload through the three designs: what one
// operation of each kind costs, client and functions together. The last kind,
// feed, reads a page for every user; its time is not reported, see the package.
// At the end the feeds have to be the same.
//
// Capacity is small, so that the popular among 200 users have several index
// documents. Run it with -benchtime 1x.
func BenchmarkDesigns(b *testing.B) {
	scale := designs.Default
	feeds, began := map[string]map[string][]designs.Post{}, time.Now()
	for _, name := range names {
		b.Run("design="+name, func(b *testing.B) {
			workload := designs.Workload(scale, 1, began)
			s := &session{name: name, cfg: config.Functions{Capacity: 50}, workload: workload}
			for n, phase := range workload {
				b.Run("op="+phase.Name, func(b *testing.B) {
					s.measure(b, n, len(phase.Ops), func(d designs.Design) error { return phase.Run(b.Context(), d) })
				})
			}
			b.Run("op=feed", func(b *testing.B) {
				s.measure(b, len(workload), scale.Users, func(d designs.Design) (err error) {
					feeds[name], err = designs.Feeds(b.Context(), d, scale)
					return err
				})
				b.ReportMetric(0, "ns/op")
			})
			if diff := cmp.Diff(feeds[names[0]], feeds[name]); diff != "" {
				b.Errorf("the feeds differ from those of %s (-, +):\n%.2000s", names[0], diff)
			}
		})
	}
}

// session is a design in the middle of a workload.
type session struct {
	name     string
	cfg      config.Functions
	workload []designs.Phase
	design   designs.Design
	done     int // phases that design has been through
}

// measure does work, ops operations, after the first n phases of the workload.
func (s *session) measure(b *testing.B, n, ops int, work func(designs.Design) error) {
	var total wire.Counts
	rounds := 0
	for b.Loop() {
		b.StopTimer()
		s.advance(b, n)
		before := s.design.Counts()
		b.StartTimer()
		if err := work(s.design); err != nil {
			b.Fatal(err)
		}
		s.done++
		used := s.design.Counts().Minus(before)
		total.Reads += used.Reads
		total.Writes += used.Writes
		total.Deletes += used.Deletes
		total.Received += used.Received
		rounds++
	}
	report(b, total, rounds*ops)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rounds*ops), "ns/op")
}

// advance brings the design to where n phases are done: a fresh one, unless it stands there.
func (s *session) advance(b *testing.B, n int) {
	b.Helper()
	if s.design == nil || s.done > n {
		s.design, s.done = open(b, s.name, s.cfg), 0
	}
	for ; s.done < n; s.done++ {
		if err := s.workload[s.done].Run(b.Context(), s.design); err != nil {
			b.Fatal(err)
		}
	}
}

// report reports what one of ops operations cost.
func report(b *testing.B, total wire.Counts, ops int) {
	b.Helper()
	per := func(n int64) float64 { return float64(n) / float64(ops) }
	b.ReportMetric(per(total.Reads), "reads/op")
	b.ReportMetric(per(total.Writes), "writes/op")
	b.ReportMetric(per(total.Deletes), "deletes/op")
	b.ReportMetric(per(total.Received), "received-B/op")
}

// popularFollowers are the followers of the author of BenchmarkPostByPopularAuthor.
const popularFollowers = 100_000

// BenchmarkPostByPopularAuthor is one post by an author with 100,000 followers,
// from the client's write until it is in every feed. Index documents are loaded
// before; a post looks at nothing else of its followers.
func BenchmarkPostByPopularAuthor(b *testing.B) {
	for _, name := range names {
		b.Run("design="+name, func(b *testing.B) {
			d := open(b, name, config.Functions{})
			author := "author-000000000000000000000"
			load(b, d, author)
			wantWrites := map[string]int64{
				"relation-index":   1 + popularFollowers/schema.DefaultCapacity,
				"fan-out-on-write": int64(entriesOf(config.Functions{}).Post(cost.Readers{All: popularFollowers}, cost.Readers{}).Writes),
				"fan-out-on-read":  1,
			}[name]
			n := 0
			before := d.Counts()
			for b.Loop() {
				n++
				p := designs.Post{ID: fmt.Sprintf("post-%015d", n), Author: author, CreatedAt: time.Now().UTC().Truncate(time.Microsecond), Text: "hello"}
				if err := d.Post(b.Context(), p); err != nil {
					b.Fatal(err)
				}
				if err := d.Settle(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			used := d.Counts().Minus(before)
			// On a busy machine, a job hands over: a write each time.
			if want := int64(n) * wantWrites; used.Writes < want || used.Writes > want+int64(10*n) {
				b.Errorf("%d posts made %d writes, want %d and a few hand-overs", n, used.Writes, want)
			}
			report(b, used, n)
		})
	}
}

// load gives author their followers, where there are functions.
func load(b *testing.B, d designs.Design, author string) {
	b.Helper()
	ids := make([]string, popularFollowers)
	for i := range ids {
		ids[i] = designs.User(i)
	}
	if d, ok := d.(interface {
		LoadFollowers(ctx context.Context, author string, ids []string, capacity int) error
	}); ok {
		must(b, d.LoadFollowers(b.Context(), author, ids, schema.DefaultCapacity))
	}
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
