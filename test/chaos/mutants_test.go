package chaos

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"example.com/relationindex/emulator"
	"example.com/relationindex/internal/wire"
)

// mutant is a way to break the production code that a run has to find.
type mutant struct {
	file  string // below the root of the module
	edits []edit
	tune  func(*Options) // what makes it show soon
}

// edit replaces a text that is in the file exactly once.
type edit struct{ old, new string }

var mutants = map[string]mutant{
	"sync without its precondition": {"relations/sync.go", []edit{{
		"r.ref.Update(ctx, updates, firestore.LastUpdateTime(r.updated))",
		"r.ref.Update(ctx, updates)",
	}}, func(o *Options) {
		// Passes that are not jobs, in many processes, and nothing that makes
		// another pass: an event that comes again would mend it.
		o.Workers = 6
		o.Functions.InlineLimit = 100
		o.Chaos, o.Faults.Rate, o.Faults.Stall = emulator.Chaos{}, 0, 0.35
		o.Functions.Lease = 10 * time.Second // leases are not what it is about
	}},
	"fanout without its transaction": {"relations/copy.go", []edit{
		{
			"return x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {\n\t\tsnaps, err := tx.GetAll(refs)",
			"return func() error {\n\t\tsnaps, err := x.client.GetAll(ctx, refs)",
		},
		{
			"if err := tx.Set(x.relation(state.id, index.Ref.ID), relationData(state, index)); err != nil {",
			"if _, err := x.relation(state.id, index.Ref.ID).Set(ctx, relationData(state, index)); err != nil {",
		},
		{"\t\treturn nil\n\t})\n}", "\t\treturn nil\n\t}()\n}"},
	}, func(*Options) {}},
	"checkpoint without the lease check": {"chunker/lease.go", []edit{{
		"if stored == nil || stored.State != Running || stored.Lease == nil || stored.Lease.Holder != holder {",
		"if stored == nil {",
	}}, func(o *Options) {
		// Many steps outlive their leases, but hardly ten in a row, with which a
		// job fails for good.
		o.Functions.InlineLimit, o.Functions.Chunk, o.Faults.Stall = 1, 1, 0.1
	}},
}

// mutantOptions are few authors, small index documents, and writes and
// transactions that stall for longer than a lease.
func mutantOptions(m mutant, seed uint64, command []string) Options {
	o := Options{
		Workload:  Workload{Seed: seed, Ops: 500, Users: 16, Posts: 8},
		Functions: Functions(),
		Command:   command,
		Workers:   3,
		Chaos:     emulator.Chaos{Duplicate: 0.3, Reorder: 0.3, Delay: 200 * time.Millisecond, Seed: seed},
		Faults:    wire.FaultPlan{Rate: 0.05, Stall: 0.2, StallFor: 2 * time.Second, Seed: seed},
	}
	o.Functions.Capacity, o.Functions.Lease = 3, time.Second
	m.tune(&o)
	return o
}

// maxSeeds is how often a mutant may get away.
const maxSeeds = 6

// A harness that finds nothing proves nothing: so it has to find each mutant,
// and nothing in the production code with the same options.
func TestMutantsAreFound(t *testing.T) {
	production := build(t, mutant{})
	for name, m := range mutants {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each waits more than it computes
			found := findMutant(t, m)
			noDifferences(t, runOnce(t, mutantOptions(m, found, production)))
		})
	}
}

// findMutant is a seed with which the mutant makes a difference.
func findMutant(t *testing.T, m mutant) (seed uint64) {
	t.Helper()
	command := build(t, m)
	for seed := range uint64(maxSeeds) {
		r := runOnce(t, mutantOptions(m, seed+1, command))
		removeLogs(t, r)
		if r.Differences > 0 {
			t.Logf("%d differences with seed %d, such as: %s", r.Differences, r.Seed, r.Shown[0])
			return r.Seed
		}
	}
	t.Fatalf("no difference with %d seeds", maxSeeds)
	return 0
}

// build builds the program of the functions with a mutant in it, and returns
// the command that starts it. The code itself stays as it is.
func build(t *testing.T, m mutant) []string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "functions")
	args := []string{"build", "-o", program}
	if m.file != "" {
		args = append(args, "-overlay", overlay(t, filepath.Join(root, m.file), m.edits))
	}
	cmd := exec.CommandContext(t.Context(), "go", append(args, "./bench/chaos")...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return []string{program, "functions"}
}

// overlay writes the edited copy of a file, and what tells the go command to
// take it for the file.
func overlay(t *testing.T, file string, edits []edit) (path string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range edits {
		if n := bytes.Count(text, []byte(e.old)); n != 1 {
			t.Fatalf("%s has this %d times, want once:\n%s", file, n, e.old)
		}
		text = bytes.Replace(text, []byte(e.old), []byte(e.new), 1)
	}
	dir := t.TempDir()
	path, mutated := filepath.Join(dir, "overlay.json"), filepath.Join(dir, filepath.Base(file))
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{file: mutated}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{path: replace, mutated: text} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}
