package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/internal/local"
	"example.com/relationindex/internal/logging"
)

// purge starts the functions on a database that is there, deletes an account,
// and compares the receipt with the graph.
func purge(ctx context.Context, m *local.Machine, s star, program string, out io.Writer) error {
	p, err := m.Project(ctx, project, config.Functions{}, logging.New(os.Stderr, slog.LevelWarn))
	if err != nil {
		return err
	}
	bar := console.Start("deleting the account of "+s.id, 0)
	defer bar.End()
	began := time.Now()
	if _, err := p.Client.Doc("users/" + s.id).Delete(ctx); err != nil {
		return err
	}
	if err := p.Idle(ctx); err != nil {
		return err
	}
	took := time.Since(began)
	bar.End()
	jobs, err := chunker.New(p.Client, chunker.Options{}).Named(ctx, "purge:", 2)
	if err != nil {
		return err
	}
	if len(jobs) != 1 || jobs[0].State != chunker.Done {
		return fmt.Errorf("purge: %d jobs, want one that is done", len(jobs))
	}
	used := p.Meter.Counts()
	got := jobs[0].Counts
	fmt.Fprintf(out, "purge     of account %s in %.1f s: %d reads, %d writes, %d deletes\nreceipt followers %d, following %d, index documents %d, relations %d, posts %d\n",
		s.id, took.Seconds(), used.Reads, used.Writes, used.Deletes,
		got["followers"], got["following"], got["indexDocuments"], got["relations"], got["posts"])
	want := map[string]int64{
		"followers": s.followers, "following": s.following, "relations": 0, "posts": 0, "blocked": 0,
		"indexDocuments": (s.followers + 9999) / 10_000,
	}
	if !maps.Equal(want, got) {
		return fmt.Errorf("the receipt is %v, the graph says %v", got, want)
	}
	for _, check := range [][]string{{"trace", s.id}, {"verify"}} {
		last, err := lastLine(ctx, program, m.Emulator.FirestoreHost(), project, check...)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, last)
	}
	return nil
}
