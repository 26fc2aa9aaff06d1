package scale

import (
	"context"
	"os"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/peak"
	"example.com/relationindex/local/processes"
	"example.com/relationindex/schema"
)

const (
	// parallel is how much the functions, and the plain loop, do at a time.
	parallel = 8

	// step is the time after which a step of a job begins no page. It is far shorter than
	// production's: a job has to hand over.
	step = 5 * time.Second
)

// system is the real functions, in one process of their own.
type system struct {
	*processes.System
	b    *testing.B
	peak int64 // resident bytes, of processes that have been killed
}

func start(b *testing.B) *system {
	b.Helper()
	return startWith(b, schema.Config{NoOwnPosts: true})
}

// startWith starts the functions with a configuration of their own.
func startWith(b *testing.B, cfg schema.Config) *system {
	b.Helper()
	cfg.CopiedFields, cfg.Parallel, cfg.Step = []string{"text"}, parallel, step
	s, err := processes.Start(b.Context(), processes.Options{
		Project:      "demo-scale",
		Functions:    cfg,
		Command:      []string{os.Args[0], "functions"},
		Unguarded:    true, // the plain loop has no guards either
		EmulatorArgs: []string{"-Xmx14g"},
	})
	must(b, err)
	b.Cleanup(func() {
		must(b, s.Close())
		if !b.Failed() {
			must(b, s.RemoveLogs())
		}
	})
	return &system{System: s, b: b}
}

func (s *system) idle() {
	s.b.Helper()
	ctx, cancel := context.WithTimeout(s.b.Context(), time.Hour)
	defer cancel()
	must(s.b, s.Idle(ctx))
}

// post writes a post, and returns after how long its relations were there.
func (s *system) post(author, id string) time.Duration {
	s.b.Helper()
	return s.untilDone(id, func() { s.write(author, id) })
}

// untilDone does what changes a post, and returns after how long the last of the jobs that
// carried it to the relations was done. The system is idle then; to find that out
// takes up to half a second more.
func (s *system) untilDone(id string, change func()) time.Duration {
	s.b.Helper()
	return s.untilJobDone(schema.PostJobs(id), change)
}

// untilJobDone does what makes jobs whose ids begin with prefix, and returns after how long the
// last one was done. Jobs of other ranges, of earlier changes, may be there too.
func (s *system) untilJobDone(prefix string, change func()) time.Duration {
	s.b.Helper()
	began := time.Now()
	change()
	s.idle()
	jobs, err := chunker.New(s.Client(), chunker.Options{}).Named(s.b.Context(), prefix, 1000)
	must(s.b, err)
	last := began
	for _, job := range jobs {
		if job.State != chunker.Done {
			s.b.Fatalf("the job %s is %s", job.ID, job.State)
		}
		if job.FinishedAt.After(last) {
			last = *job.FinishedAt
		}
	}
	if last.Equal(began) {
		s.b.Fatalf("no job %s has ended", prefix)
	}
	return last.Sub(began)
}

func (s *system) write(author, id string) {
	s.b.Helper()
	_, err := s.Client().Doc("posts/"+id).Set(s.b.Context(), map[string]any{"userId": author, "createdAt": time.Now(), "text": "first"})
	must(s.b, err)
}

func (s *system) edit(id string) time.Duration {
	s.b.Helper()
	return s.untilDone(id, func() {
		_, err := s.Client().Doc("posts/"+id).Update(s.b.Context(), []firestore.Update{{Path: "text", Value: "second"}})
		must(s.b, err)
	})
}

func (s *system) drop(id string) time.Duration {
	s.b.Helper()
	return s.untilDone(id, func() {
		_, err := s.Client().Doc("posts/" + id).Delete(s.b.Context())
		must(s.b, err)
	})
}

// count is how many relations an author's posts have.
func (s *system) count(author string) int {
	s.b.Helper()
	docs, err := s.Client().Collection("_relations").Where("userId", "==", author).Select().Documents(s.b.Context()).GetAll()
	must(s.b, err)
	return len(docs)
}

// kill kills the functions in the middle of what they do.
func (s *system) kill() {
	s.b.Helper()
	s.peak = s.peakMemory()
	must(s.b, s.Kill(0))
}

// peakMemory is the most that the functions' process, or one before it, has held resident, in bytes.
func (s *system) peakMemory() int64 {
	most := s.peak
	for _, pid := range s.PIDs() {
		most = max(most, peak.Memory(pid))
	}
	return most
}

// report is b.ReportMetric that is seen also when the benchmark fails.
func report(b *testing.B, value float64, unit string) {
	b.Helper()
	b.ReportMetric(value, unit)
	if value > 0 {
		b.Logf("%.4g %s", value, unit)
	}
}
