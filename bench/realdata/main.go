// Command realdata loads a real social graph into a Firestore emulator, and compares the system's
// documents with the files:
//
//	go run ./bench/realdata -data DIR             # through triggers
//	go run ./bench/realdata -data DIR -direct     # by bulk import
//
// DIR holds the files of a data set (see [dataSet]). Through triggers, two kinds of documents are
// written one by one: the first follows of the graph, and posts of accounts whose followers among them
// do not fit an index document. Every reader's feed is compared with the join of the files. Feeds are
// read as clients read them: with the reader's own token, under the project's rules.
//
// With -direct, `relationindex import follows --direct` is a process of its own. First it imports some
// follows into a database whose triggers call the functions, which must not write. Then it imports the
// whole graph without triggers, is killed with SIGKILL when half of the follower documents are there,
// and is run again. Last, the functions are started, and the most followed account is deleted. The
// receipt of its purge is compared with the file.
//
// It exits with 1 in any of these cases: a feed differs; an invariant is broken; a bulk import took
// more than 256 MiB of memory; the functions wrote anything because of a bulk import; the receipt is
// wrong; a document names the deleted account; a file is missing.
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
	direct   bool
	follows  int
	posts    int
	capacity int
	heap     string // of the emulator, in Java's syntax
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("realdata", flag.ContinueOnError)
	flags.StringVar(&o.data, "data", ".", "directory of the data set's files")
	flags.BoolVar(&o.direct, "direct", false, "import the graph in bulk, killed half-way and run again")
	flags.IntVar(&o.follows, "follows", 20_000, "follows to import with triggers, at least")
	flags.IntVar(&o.posts, "posts", 2_000, "posts to import, at least; not with -direct")
	flags.IntVar(&o.capacity, "capacity", 3, "followers in an index document; every author who posts has more; not with -direct")
	flags.StringVar(&o.heap, "heap", "12g", "most heap of the emulator: a whole graph takes some 7 GB")
	if err := flags.Parse(args); err != nil {
		return options{}, program.ErrUsage
	}
	if o.follows < 1 || o.posts < 1 || o.capacity < 1 || flags.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "realdata: follows, posts and capacity must be at least 1, and nothing else is taken")
		return options{}, program.ErrUsage
	}
	return o, nil
}

// check runs the command, from the files to the verdict.
func check(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	set, load := higgs, (*system).loadThroughTriggers
	if o.direct {
		set, load = epinions, (*system).loadDirectly
	}
	files, err := set.find(o.data)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx) // its users end before the emulator
	defer cancel()
	s, err := start(ctx, o, out)
	if err != nil {
		return err
	}
	return errors.Join(load(s, ctx, files), s.close())
}
