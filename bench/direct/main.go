// Command direct measures `relationindex import follows --direct` on a real
// graph, as a process of its own that is killed half-way:
//
//	go run ./bench/direct -data DIR
//
// DIR holds soc-Epinions1.txt.gz (see [source]). The import runs against a
// Firestore emulator without triggers, is killed with SIGKILL when half of the
// follower documents are there, and is run again; verify has the last word. Then
// the functions are started, and the most followed account is deleted: the receipt
// of its purge is compared with the file, and trace looks for what is left. Last,
// the first follows of the graph are imported into another database whose triggers
// call the functions, and what the functions write is counted.
//
// It exits with 1 if an invariant is broken, the import took more than 256 MiB of
// memory, the receipt is wrong, something names the account, the functions wrote
// anything about an import, or the file is missing.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"example.com/relationindex/internal/console"

	"example.com/relationindex/bench/internal/program"
)

func main() { program.Main("direct", check) }

// options are the flags.
type options struct {
	data     string
	heap     string // of the emulator, as Java takes it
	triggers int64
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("direct", flag.ContinueOnError)
	flags.StringVar(&o.data, "data", ".", "directory of the data set's file")
	flags.StringVar(&o.heap, "heap", "12g", "most heap of the emulator: the whole graph takes some 7 GB")
	flags.Int64Var(&o.triggers, "triggers", 20_000, "follows to import with triggers")
	if err := flags.Parse(args); err != nil {
		return options{}, program.ErrUsage
	}
	if o.triggers < 1 || flags.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "direct: triggers must be at least 1, and nothing else is taken")
		return options{}, program.ErrUsage
	}
	o.data = cmp.Or(o.data, ".")
	return o, nil
}

// check is one run, from the file to the verdict.
func check(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	g, err := load(o.data)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "data      %d follows of %d accounts\n", g.follows, g.authors)
	dir, err := os.MkdirTemp("", "relationindex-direct-")
	if err != nil {
		return err
	}
	program, err := build(ctx, dir)
	if err == nil {
		err = errors.Join(measure(ctx, o, g, program, out), withTriggers(ctx, o, g, program, out))
	}
	return errors.Join(err, os.RemoveAll(dir))
}

// build builds the command line in dir.
func build(ctx context.Context, dir string) (string, error) {
	bar := console.Start("building relationindex", 0)
	defer bar.End()
	program := filepath.Join(dir, "relationindex")
	printed, err := exec.CommandContext(ctx, "go", "build", "-o", program, "example.com/relationindex/cmd/relationindex").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, printed)
	}
	return program, nil
}
