// Command realdata loads a real social graph into a Firestore emulator, and compares the system's
// documents with the files:
//
//	go run ./bench/realdata -data DIR             # through triggers
//	go run ./bench/realdata -data DIR -horizon 168h  # half of the posts are older
//	go run ./bench/realdata -data DIR -direct     # by bulk import
//	go run ./bench/realdata -data DIR -storage    # by bulk import from Cloud Storage
//
// DIR holds the files of a data set (see [dataSet]). Through triggers, two kinds of documents are
// written one by one: the first follows of the graph, and posts of accounts whose followers among them
// do not fit an index document. Every reader's feed is compared with the join of the files. Feeds are
// read as clients read them: with the reader's own token, under the project's rules. With -horizon,
// the code of the function Feed reads them page by page to the end, once as it decides and once by
// pull. Readers' own queries are compared as far back as the horizon. The cost of first pages is
// printed. With -change, the horizon is halved, and then doubled, while posts are written. Everything
// is compared after each change.
//
// With -direct, `relationindex import follows --direct` is a process of its own. First it imports some
// follows into a database whose triggers call the functions, which must not write. Then it imports the
// whole graph without triggers, is killed with SIGKILL when half of the follower documents are there,
// and is run again. Last, the functions are started, and the most followed account is deleted. The
// receipt of its purge is compared with the file.
//
// With -storage, a server on loopback serves the file as Cloud Storage does, and breaks each
// connection after half a mebibyte. The whole graph is imported from there, without triggers, killed
// half-way and run again. Then -portion rows are imported four times: from the file, from storage,
// from storage, from the file.
//
// It exits with 1 in any of these cases: a feed differs; an invariant is broken; a bulk import took
// more than 256 MiB of memory; an import from storage took 1.1 times as long as one from the file; the
// functions wrote anything because of a bulk import; the receipt is wrong; a document names the
// deleted account; a file is missing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"example.com/relationindex/bench/internal/program"
	"example.com/relationindex/schema"
	"example.com/relationindex/test/chaos"
)

func main() { program.Main("realdata", check) }

// options are the flags.
type options struct {
	data     string
	direct   bool
	storage  bool
	portion  int
	follows  int
	posts    int
	capacity int
	horizon  time.Duration
	form     chaos.Form
	change   bool
	heap     string // of the emulator, in Java's syntax
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("realdata", flag.ContinueOnError)
	flags.StringVar(&o.data, "data", ".", "directory of the data set's files")
	flags.BoolVar(&o.direct, "direct", false, "import the graph in bulk, killed half-way and run again")
	flags.BoolVar(&o.storage, "storage", false, "import the graph in bulk from a server of Cloud Storage, killed half-way and run again, and compare times with a file's")
	flags.IntVar(&o.portion, "portion", 100_000, "rows whose times are compared; with -storage")
	flags.IntVar(&o.follows, "follows", 20_000, "follows to import with triggers, at least")
	flags.IntVar(&o.posts, "posts", 2_000, "posts to import, at least; not with -direct")
	flags.IntVar(&o.capacity, "capacity", 3, "followers in an index document; every author who posts has more; not with -direct")
	flags.DurationVar(&o.horizon, "horizon", 0, "the age up to which posts have relations, such as 168h; 0: any age; not with -direct")
	flags.BoolVar(&o.change, "change", false, "halve the horizon, and then double the original horizon, while posts are written; this takes three quarters of an hour, mostly waiting")
	form := flags.String("timeline", "", "timelines in place of relations: items, buckets, ring or days; not with -direct or -horizon")
	flags.StringVar(&o.heap, "heap", "12g", "most heap of the emulator: a whole graph takes some 7 GB")
	if err := flags.Parse(args); err != nil {
		return options{}, program.ErrUsage
	}
	var err error
	if o.form, err = chaos.ParseForm(*form); err != nil || o.form != "" && (o.direct || o.storage || o.horizon > 0) {
		fmt.Fprintln(os.Stderr, "realdata: timeline must be items, buckets, ring or days, without direct, storage and horizon")
		return options{}, program.ErrUsage
	}
	if o.form != "" {
		given := map[string]bool{}
		flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
		if !given["follows"] {
			o.follows = timelineFollows
		}
		if !given["posts"] {
			o.posts = timelinePosts
		}
	}
	if o.direct && o.storage || o.portion < 1 {
		fmt.Fprintln(os.Stderr, "realdata: portion must be at least 1, and direct and storage are not for one run")
		return options{}, program.ErrUsage
	}
	if o.change && o.horizon == 0 {
		fmt.Fprintln(os.Stderr, "realdata: change is for a run with a horizon")
		return options{}, program.ErrUsage
	}
	if o.follows < 1 || o.posts < 1 || o.capacity < 1 || schema.CheckHorizon(o.horizon) != nil || flags.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "realdata: follows, posts and capacity must be at least 1, horizon 0 or at least 1h, and nothing else is taken")
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
	if o.direct || o.storage {
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
