package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/accounts"
	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/internal/peak"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// maxMemory is the most resident memory of the import, in bytes.
const maxMemory = 256 << 20

// loadDirectly imports with triggers. Then it imports everything without triggers, kills that import,
// and runs it again. Last, it deletes the most followed account.
func (s *system) loadDirectly(ctx context.Context, files []string) error {
	g, err := readFollows(files[0], 0)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "data      %d follows of %d accounts\n", g.follows, len(g.followers))
	bar := console.Start("building relationindex", 0)
	build := exec.CommandContext(ctx, "go", "build", "-o", s.program(), "example.com/relationindex/cmd/relationindex")
	printed, err := build.CombinedOutput()
	bar.End()
	if err != nil {
		return fmt.Errorf("go build: %w\n%s", err, printed)
	}
	if err := s.importWithTriggers(ctx, files[0]); err != nil {
		return err
	}
	if err := s.importTwice(ctx, g, files[0]); err != nil {
		return err
	}
	return s.purge(ctx, g)
}

func (s *system) program() string { return filepath.Join(s.dir, "relationindex") }

// importWithTriggers imports the first follows of the graph into a database with functions, and counts
// the functions' work.
func (s *system) importWithTriggers(ctx context.Context, file string) error {
	p, err := s.project(ctx, projectID+"-triggers", schema.Config{NoOwnPosts: true})
	if err != nil {
		return err
	}
	bar := console.Start("importing with triggers", 0)
	defer bar.End()
	c, err := s.startImport(ctx, p.ID, file, "--limit", fmt.Sprint(s.options.follows))
	if err != nil {
		return err
	}
	i, err := c.finish()
	if err != nil {
		return err
	}
	if err := p.Idle(ctx); err != nil {
		return err
	}
	took := time.Since(c.began)
	bar.End()
	used := p.Meter.Counts()
	fmt.Fprintf(s.out, "triggers  %d rows: %.0f edges/s; %d events handled after %.1f s; the functions' writes: %d, deletes: %d\n",
		i.Imported, i.EdgesPerSecond, s.Emulator.Broker().Stats(p.ID).Events, took.Seconds(), used.Writes, used.Deletes)
	if used.Writes+used.Deletes > 0 {
		return errors.New("the functions wrote")
	}
	return s.verify(ctx, p.ID, schema.Config{NoOwnPosts: true})
}

// importTwice imports the whole graph without triggers, kills the import half-way, and runs it again.
// The second run waits for the locks of the killed transactions: the emulator keeps them for up to a
// minute.
func (s *system) importTwice(ctx context.Context, g *graph, file string) error {
	client, err := wire.Open(ctx, projectID, s.Emulator.FirestoreHost())
	if err != nil {
		return err
	}
	defer client.Close()
	killed, err := s.importUntilHalf(ctx, g, file, client)
	if err != nil {
		return err
	}
	bar := console.Start("importing again", 0)
	defer bar.End()
	c, err := s.startImport(ctx, projectID, file)
	if err != nil {
		return err
	}
	again, err := c.finish()
	bar.End()
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "again     %d rows in %.1f s: %.0f edges/s, %d of them new; peak memory %d MiB\n",
		again.Imported, time.Since(c.began).Seconds(), again.EdgesPerSecond, int64(g.follows)-killed.Imported, again.PeakMemoryBytes>>20)
	if peak := max(killed.PeakMemoryBytes, again.PeakMemoryBytes); peak > maxMemory {
		return fmt.Errorf("the import took %d MiB of memory, the limit is %d", peak>>20, maxMemory>>20)
	}
	return s.verify(ctx, projectID, schema.Config{NoOwnPosts: true})
}

// sampled is the number of follower documents that show the progress of an import. To count all of
// them takes the emulator many seconds.
const sampled = 200

// errEnded is the result of a process that ended without an error.
var errEnded = errors.New("exit status 0")

// importUntilHalf kills the import when half of a sample of the follower documents exist.
func (s *system) importUntilHalf(ctx context.Context, g *graph, file string, client *firestore.Client) (imported, error) {
	var sample []*firestore.DocumentRef
	for follower, authors := range g.Follows { // in random order
		for author := range authors {
			if len(sample) < sampled {
				sample = append(sample, client.Doc("users/"+author+"/followers/"+follower))
			}
		}
	}
	bar := console.Start("importing follows", int64(g.follows))
	defer bar.End()
	c, err := s.startImport(ctx, projectID, file)
	if err != nil {
		return imported{}, err
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for there := 0; there < (len(sample)+1)/2; {
		select {
		case err := <-c.ended:
			return imported{}, fmt.Errorf("the import ended before it could be killed: %w\n%s", cmp.Or(err, errEnded), &c.stderr)
		case <-tick.C:
		}
		docs, err := client.GetAll(ctx, sample)
		if err != nil {
			return imported{}, err
		}
		there = 0
		for _, doc := range docs {
			if doc.Exists() {
				there++
			}
		}
		bar.Set(int64(g.follows * there / len(sample)))
	}
	most, took := peak.Memory(c.cmd.Process.Pid), time.Since(c.began).Seconds()
	if err := c.cmd.Process.Kill(); err != nil {
		return imported{}, err
	}
	if err := <-c.ended; err == nil {
		return imported{}, errors.New("the import ended in the moment in which it was killed")
	}
	result, err := client.CollectionGroup("followers").NewAggregationQuery().WithCount("n").Get(ctx)
	if err != nil {
		return imported{}, err
	}
	n := result["n"].(*pb.Value).GetIntegerValue()
	half := imported{n, float64(n) / took, most}
	fmt.Fprintf(s.out, "killed    after %.1f s, with %d follower documents: %.0f edges/s; peak memory %d MiB\n",
		took, n, half.EdgesPerSecond, most>>20)
	return half, nil
}

// purge starts the functions on the graph's database, deletes the most followed account, and compares
// the receipt with the graph.
func (s *system) purge(ctx context.Context, g *graph) error {
	star := ""
	for id, n := range g.followers {
		if most := g.followers[star]; n > most || n == most && id < star {
			star = id
		}
	}
	p, err := s.project(ctx, projectID, schema.Config{NoOwnPosts: true})
	if err != nil {
		return err
	}
	bar := console.Start("deleting the account of "+star, 0)
	defer bar.End()
	began := time.Now()
	if _, err := p.Client.Doc("users/" + star).Delete(ctx); err != nil {
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
	used, got, followers := p.Meter.Counts(), jobs[0].Counts, int64(g.followers[star])
	fmt.Fprintf(s.out, "purge     of account %s in %.1f s: %d reads, %d writes, %d deletes\n"+
		"receipt   followers %d, following %d, index documents %d, relations %d, posts %d\n",
		star, took.Seconds(), used.Reads, used.Writes, used.Deletes,
		got["followers"], got["following"], got["indexDocuments"], got["relations"], got["posts"])
	want := map[string]int64{
		"followers": followers, "following": int64(len(g.Follows[star])), "relations": 0, "posts": 0, "blocked": 0,
		"groups": 0, "requests": 0, "requested": 0, "timeline": 0, "timelines": 0, "settings": 0, "hidden": 0, "rates": 0, "comments": 0, "delivered": 0, "mentions": 0,
		"likes": 0, "notifications": 0,
		"indexDocuments": (followers + schema.DefaultCapacity - 1) / schema.DefaultCapacity,
	}
	if !maps.Equal(want, got) {
		return fmt.Errorf("the receipt is %v, the graph says %v", got, want)
	}
	index, err := s.index(ctx, projectID, schema.Config{NoOwnPosts: true})
	if err != nil {
		return err
	}
	traces := 0
	if err := index.Accounts.Traces(ctx, star, func(accounts.Trace) { traces++ }, nil); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "trace: %q is named in %d places\n", star, traces)
	if traces > 0 {
		return fmt.Errorf("%d documents name the deleted account", traces)
	}
	return s.verify(ctx, projectID, schema.Config{NoOwnPosts: true})
}

// importing is a running import command.
type importing struct {
	cmd            *exec.Cmd
	began          time.Time
	stdout, stderr bytes.Buffer
	ended          chan error
}

// imported is the output of import --direct --json, or the known part of it after a kill.
type imported struct {
	Imported        int64   `json:"imported"`
	EdgesPerSecond  float64 `json:"edgesPerSecond"`
	PeakMemoryBytes int64   `json:"peakMemoryBytes"`
}

// startImport starts the import with additional flags. The import is killed when ctx ends.
func (s *system) startImport(ctx context.Context, project, file string, more ...string) (*importing, error) {
	args := append([]string{"import", "follows", file, "--columns", "follower=1,followed=2", "--direct", "--json", "--project", project}, more...)
	c := &importing{began: time.Now(), ended: make(chan error, 1)}
	c.cmd = exec.CommandContext(ctx, s.program(), args...)
	c.cmd.Env = append(c.cmd.Environ(), "FIRESTORE_EMULATOR_HOST="+s.Emulator.FirestoreHost())
	c.cmd.Stdout, c.cmd.Stderr = &c.stdout, &c.stderr
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { c.ended <- c.cmd.Wait() }()
	return c, nil
}

// finish waits for the import.
func (c *importing) finish() (i imported, err error) {
	if err := <-c.ended; err != nil {
		return i, fmt.Errorf("import: %w\n%s%s", err, &c.stdout, &c.stderr)
	}
	if err := json.Unmarshal(c.stdout.Bytes(), &i); err != nil {
		return i, fmt.Errorf("import printed %q: %w", &c.stdout, err)
	}
	return i, nil
}
