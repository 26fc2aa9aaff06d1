// Command realdata runs real follows and real posts through the whole system,
// and compares every reader's feed with the join computed from the files:
//
//	go run ./bench/realdata -data DIR
//
// DIR holds two files of the Higgs Twitter data set (see [input]). The first
// follows of the graph, and posts of accounts with more followers among them
// than an index document holds, are imported into a Firestore emulator whose
// triggers call the functions. Feeds are then read as clients read them: over
// the REST API, with a token of the reader's own, under the project's rules.
//
// It exits with 1 if a feed differs, an invariant is broken, or a file is missing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"example.com/relationindex/bench/internal/program"
)

func main() { program.Main("realdata", check) }

// options are the flags.
type options struct {
	data     string
	follows  int64
	posts    int64
	capacity int
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("realdata", flag.ContinueOnError)
	flags.StringVar(&o.data, "data", ".", "directory of the data set's files")
	flags.Int64Var(&o.follows, "follows", 20_000, "follows to import, at least")
	flags.Int64Var(&o.posts, "posts", 2_000, "posts to import, at least")
	flags.IntVar(&o.capacity, "capacity", 3, "followers in an index document; every author who posts has more")
	if err := flags.Parse(args); err != nil {
		return options{}, program.ErrUsage
	}
	if o.follows < 1 || o.posts < 1 || o.capacity < 1 || flags.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "realdata: follows, posts and capacity must be at least 1, and nothing else is taken")
		return options{}, program.ErrUsage
	}
	return o, nil
}

// check is one run, from the files to the verdict.
func check(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	in, err := find(o.data)
	if err != nil {
		return err
	}
	want, err := load(in, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "data    %d follows of %d accounts by %d readers; %d posts of %d authors, each with more than %d followers\n",
		want.follows, len(want.followers), len(want.following), len(want.posts), want.authors(), o.capacity)
	system, err := start(ctx, o, out)
	if err != nil {
		return err
	}
	err = system.compareAll(ctx, in, want)
	if closeErr := system.Close(); err != nil || closeErr != nil {
		return fmt.Errorf("%w; logs are in %s", errors.Join(err, closeErr), system.Dir())
	}
	return system.RemoveLogs()
}
