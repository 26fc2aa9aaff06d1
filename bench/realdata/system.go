package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/internal/dev"
	"example.com/relationindex/internal/edgelist"
	"example.com/relationindex/internal/importer"
	"example.com/relationindex/relations"
)

const project = "demo-realdata"

// idleTimeout is for a machine on which the functions are slow.
const idleTimeout = time.Hour

// system is a running system that tells what it does.
type system struct {
	*dev.System
	out io.Writer
}

func start(ctx context.Context, o options, out io.Writer) (*system, error) {
	began := time.Now()
	bar := console.Start("starting the Firestore emulator and the functions", 0)
	defer bar.End()
	s, err := dev.Start(ctx, dev.Options{Project: project, Functions: config.Functions{Capacity: o.capacity}})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "start   %.1f s\n", time.Since(began).Seconds())
	return &system{s, out}, nil
}

// compareAll imports the data, and compares every feed and every invariant.
func (s *system) compareAll(ctx context.Context, in input, want *expected) error {
	follows, err := importer.FollowColumns(graphColumns)
	if err != nil {
		return err
	}
	posts, err := importer.PostColumns(activityColumns)
	if err != nil {
		return err
	}
	if err := s.load(ctx, "follows", in.graph, want.rows, func(file string, in io.Reader) documents {
		return importer.Follows(file, in, follows, relations.Collections{})
	}); err != nil {
		return err
	}
	if err := s.load(ctx, "posts", in.activity, int64(len(want.posts)), func(file string, in io.Reader) documents {
		return chosen(importer.Posts(file, in, posts, relations.Collections{}), want.posts)
	}); err != nil {
		return err
	}
	if err := s.compareFeeds(ctx, want); err != nil {
		return err
	}
	return s.verify(ctx)
}

type documents = iter.Seq2[importer.Document, error]

// chosen are the documents of some lines of their file, and every error.
func chosen(all documents, lines map[int]bool) documents {
	return func(yield func(importer.Document, error) bool) {
		for d, err := range all {
			if (err != nil || lines[d.Row.Line]) && !yield(d, err) {
				return
			}
		}
	}
}

// load imports n documents, waits until the functions have done their part,
// and prints the rate from the first write until then.
func (s *system) load(ctx context.Context, what, file string, n int64, read func(string, io.Reader) documents) error {
	in, err := edgelist.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	began := time.Now()
	bar := console.Start("importing "+what, n)
	summary, err := importer.Write(ctx, s.Client(), read(file, in), importer.Options{Limit: n, Progress: bar.Set})
	bar.End()
	if err != nil {
		return fmt.Errorf("import %s: %v: %w", what, summary, err)
	}
	if summary.Imported != n || summary.Malformed > 0 {
		return fmt.Errorf("import %s: %v, want %d imported", what, summary, n)
	}
	imported := time.Since(began)
	if err := s.idle(ctx); err != nil {
		return err
	}
	took := time.Since(began)
	fmt.Fprintf(s.out, "%-7s %d imported in %.1f s, all consequences after %.1f s: %.0f %s/s\n",
		what, n, imported.Seconds(), took.Seconds(), float64(n)/took.Seconds(), what)
	return nil
}

// idle waits until nothing is under way, behind a bar of the events taken.
func (s *system) idle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, idleTimeout)
	defer cancel()
	bar := console.Start("events taken by the functions", s.Stats().Events)
	defer bar.End()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	idle := make(chan error, 1)
	go func() { idle <- s.Idle(ctx) }()
	for {
		select {
		case err := <-idle:
			return err
		case <-tick.C:
			n := s.Stats()
			bar.Set(n.Events - int64(n.Queued+n.InFlight+n.Waiting))
		}
	}
}

// maxShown is how many violations or differences are printed; all are counted.
const maxShown = 20

// verify checks every invariant of the index.
func (s *system) verify(ctx context.Context) error {
	cfg := s.Config()
	index, err := relations.New(s.Client(), chunker.New(s.Client(), chunker.Options{}), cfg.RelationsOptions())
	if err != nil {
		return err
	}
	began := time.Now()
	bar := console.Start("verify: documents", -1)
	defer bar.End()
	shown := 0
	n, err := index.Verify(ctx, func(v relations.Violation) {
		if shown++; shown <= maxShown {
			bar.Above(func() { fmt.Fprintln(s.out, v) })
		}
	}, bar.Set)
	bar.End()
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "verify  %d follows, %d index documents, %d relations in %.1f s\nverify: %d violations\n",
		n.Followers, n.IndexDocuments, n.Relations, time.Since(began).Seconds(), n.Violations)
	if n.Violations > 0 {
		return fmt.Errorf("%d invariants are broken", n.Violations)
	}
	return nil
}
