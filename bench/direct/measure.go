package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/emulator"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/internal/local"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/process"
	"example.com/relationindex/internal/wire"
)

const (
	project   = "demo-direct"
	maxMemory = 256 << 20
)

// measure imports the whole graph without triggers, killed half-way and run
// again, and then deletes its most followed account. The second run waits for the
// locks of the transactions that were killed: the emulator keeps them for up to a minute.
func measure(ctx context.Context, o options, g graph, program string, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m, err := local.Start(ctx, emulator.Options{JavaArgs: []string{"-Xmx" + o.heap}})
	if err != nil {
		return err
	}
	e := m.Emulator
	defer func() { _ = os.Remove(e.LogFile()) }()
	defer e.Close()
	client, err := wire.Open(ctx, project, e.FirestoreHost())
	if err != nil {
		return err
	}
	defer client.Close()

	killed, err := importUntilHalf(ctx, g, program, e.FirestoreHost(), client)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "killed    after %.1f s, with %d follower documents: %.0f edges/s; peak memory %d MiB\n",
		killed.took.Seconds(), killed.follows, float64(killed.follows)/killed.took.Seconds(), killed.memory>>20)

	bar := console.Start("importing again", 0)
	defer bar.End()
	c, err := startImport(ctx, program, e.FirestoreHost(), project, g.file)
	if err != nil {
		return err
	}
	again, err := c.finishImport()
	bar.End()
	if err != nil {
		return err
	}
	took := time.Since(c.began)
	fmt.Fprintf(out, "again     %d rows in %.1f s: %.0f edges/s, %d of them new; peak memory %d MiB\n",
		again.Imported, took.Seconds(), again.EdgesPerSecond, g.follows-killed.follows, again.PeakMemoryBytes>>20)
	last, err := verify(ctx, program, e.FirestoreHost(), project)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, last)
	if peak := max(killed.memory, again.PeakMemoryBytes); peak > maxMemory {
		return fmt.Errorf("the import took %d MiB of memory, the limit is %d", peak>>20, maxMemory>>20)
	}
	return purge(ctx, m, g.star, program, out)
}

// errEnded is how a process ended that had nothing to complain of.
var errEnded = errors.New("exit status 0")

// half is an import that was killed.
type half struct {
	took    time.Duration
	follows int64 // follower documents that it left
	memory  int64 // its peak, in bytes; 0: unknown
}

// importUntilHalf kills the import when half of a sample of the follower
// documents are there: to count all of them takes the emulator many seconds.
func importUntilHalf(ctx context.Context, g graph, program, host string, client *firestore.Client) (half, error) {
	bar := console.Start("importing follows", g.follows)
	defer bar.End()
	c, err := startImport(ctx, program, host, project, g.file)
	if err != nil {
		return half{}, err
	}
	sample := make([]*firestore.DocumentRef, len(g.sample))
	for n, path := range g.sample {
		sample[n] = client.Doc(path)
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for there := 0; there < (len(sample)+1)/2; {
		select {
		case err := <-c.ended:
			return half{}, fmt.Errorf("the import ended before it could be killed: %w\n%s", cmp.Or(err, errEnded), &c.stderr)
		case <-tick.C:
		}
		docs, err := client.GetAll(ctx, sample)
		if err != nil {
			return half{}, err
		}
		there = 0
		for _, doc := range docs {
			if doc.Exists() {
				there++
			}
		}
		bar.Set(g.follows * int64(there) / int64(len(sample)))
	}
	var h half
	h.memory = process.PeakMemory(c.cmd.Process.Pid)
	h.took = time.Since(c.began)
	if err := c.cmd.Process.Kill(); err != nil {
		return half{}, err
	}
	if err := <-c.ended; err == nil {
		return half{}, errors.New("the import ended in the moment in which it was killed")
	}
	h.follows, err = countFollows(ctx, client)
	return h, err
}

// countFollows is the number of follower documents.
func countFollows(ctx context.Context, client *firestore.Client) (int64, error) {
	q := client.CollectionGroup("followers").NewAggregationQuery().WithCount("n")
	result, err := q.Get(ctx)
	if err != nil {
		return 0, err
	}
	n, ok := result["n"].(*pb.Value)
	if !ok {
		return 0, fmt.Errorf("a count is %v", result)
	}
	return n.GetIntegerValue(), nil
}

// withTriggers imports the first follows of the graph with triggers, and counts
// what the functions do.
func withTriggers(ctx context.Context, o options, g graph, program string, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m, err := local.Start(ctx, emulator.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(m.Emulator.LogFile()) }()
	defer m.Emulator.Close()
	p, err := m.Project(ctx, project+"-triggers", config.Functions{}, logging.New(os.Stderr, slog.LevelWarn))
	if err != nil {
		return err
	}
	bar := console.Start("importing with triggers", 0)
	defer bar.End()
	host := m.Emulator.FirestoreHost()
	c, err := startImport(ctx, program, host, p.ID, g.file, "--limit", fmt.Sprint(o.triggers))
	if err != nil {
		return err
	}
	i, err := c.finishImport()
	if err != nil {
		return err
	}
	if err := p.Idle(ctx); err != nil {
		return err
	}
	took := time.Since(c.began)
	bar.End()
	used := p.Meter.Counts()
	fmt.Fprintf(out, "triggers  %d rows: %.0f edges/s; %d events handled after %.1f s; the functions' writes: %d, deletes: %d\n",
		i.Imported, i.EdgesPerSecond, m.Emulator.Broker().Stats(p.ID).Events, took.Seconds(), used.Writes, used.Deletes)
	last, err := verify(ctx, program, host, p.ID)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, last)
	if used.Writes+used.Deletes > 0 {
		return errors.New("the functions wrote")
	}
	return nil
}
