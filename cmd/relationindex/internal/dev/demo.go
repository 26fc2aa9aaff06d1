package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/cmd/relationindex/internal/operate"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/local/processes"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// demoCapacity makes the fourth follower open a second index document.
const demoCapacity = 3

// stepTimeout is long enough for a busy machine.
const stepTimeout = 2 * time.Minute

func newDemo() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Watch follows and posts become feeds, in a minute",
		Long: fmt.Sprintf(`demo runs a system as dev does, with room for %d followers in an index document
in place of 10,000, and plays a short story on it: people follow, post, edit,
unfollow and delete. After each step it waits until the functions have done their
part, and shows a reader's feed, read with the one query that a client makes. At
the end it checks the whole index, and exits with 1 if anything is wrong.`, demoCapacity),
		Example: `  relationindex demo`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runDemo(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}

func runDemo(ctx context.Context, out, stderr io.Writer) error {
	var played *processes.System
	err := withSystem(ctx, processes.Options{
		Project:   command.DemoProject,
		Functions: schema.Config{Capacity: demoCapacity, CopiedFields: []string{"text"}},
	}, func(ctx context.Context, system *processes.System, _ func() bool) error {
		played = system
		return tell(ctx, system, out)
	})
	switch {
	case played == nil:
		return err
	case err == nil || ctx.Err() != nil:
		return errors.Join(err, played.RemoveLogs())
	default:
		fmt.Fprintf(stderr, "The logs are in %s\n", played.Dir())
		return err
	}
}

// tell plays the steps of the story, and checks the index.
func tell(ctx context.Context, system *processes.System, out io.Writer) error {
	index, err := (&command.Database{Config: system.Config(), Client: system.Client()}).Index(ctx)
	if err != nil {
		return err
	}
	d := &demo{system: system, names: system.Config().Collections(), out: out}
	fmt.Fprintf(out, "Room for %d followers in an index document here, 10,000 in production.\n", demoCapacity)
	for n, s := range story {
		if err := d.play(ctx, n+1, s); err != nil {
			return fmt.Errorf("step %d, %s: %w", n+1, s.say, err)
		}
	}
	fmt.Fprintln(out)
	return operate.Verify(ctx, index, "", false, out)
}

// demo plays steps.
type demo struct {
	system *processes.System
	names  names.Collections
	out    io.Writer
}

// result is the result of a step.
type result struct {
	step           int
	say, reader    string
	feed           []operate.Entry
	events         int64 // events that the step caused
	seconds        float64
	indexDocuments int // of all authors, after the step
	relations      int // of all posts, after the step
}

// play runs a step, waits for the functions, and prints the reader's feed. It returns an error if the feed is not
// the step's feed.
func (d *demo) play(ctx context.Context, n int, s step) error {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	started, before := time.Now(), d.system.Stats().Events
	for _, write := range s.writes {
		if err := write(ctx, d); err != nil {
			return err
		}
	}
	if err := d.system.Idle(ctx); err != nil {
		return err
	}
	r := result{step: n, say: s.say, reader: s.reader, seconds: time.Since(started).Seconds(), events: d.system.Stats().Events - before}
	var err error
	if r.feed, err = operate.ReadFeed(ctx, d.system.Client(), s.reader, 10); err != nil {
		return err
	}
	if r.indexDocuments, err = count(ctx, d.system.Client().CollectionGroup(names.FollowersIndex).Query); err != nil {
		return err
	}
	if r.relations, err = count(ctx, d.system.Client().Collection(names.Relations).Query); err != nil {
		return err
	}
	if err := d.show(r); err != nil {
		return err
	}
	var posts []string
	for _, e := range r.feed {
		posts = append(posts, e.PostID)
	}
	if !slices.Equal(posts, s.feed) {
		return fmt.Errorf("the feed of %s has posts %v, not %v", s.reader, posts, s.feed)
	}
	return nil
}

func (d *demo) show(r result) error {
	fmt.Fprintf(d.out, "\n%d. %s\n", r.step, r.say)
	fmt.Fprintf(d.out, "   %s in %.2f s; now %s, %s\n", console.Counted(r.events, "event"), r.seconds,
		console.Counted(r.indexDocuments, "index document"), console.Counted(r.relations, "relation"))
	if len(r.feed) == 0 {
		_, err := fmt.Fprintf(d.out, "   the feed of %s is empty\n", r.reader)
		return err
	}
	fmt.Fprintf(d.out, "   the feed of %s:\n", r.reader)
	var rows [][]string
	for _, e := range r.feed {
		rows = append(rows, []string{e.CreatedAt.Format("15:04"), e.UserID, e.Text("text")})
	}
	return console.Table(d.out, strings.Repeat(" ", 6), []string{"TIME", "AUTHOR", "TEXT"}, rows)
}
