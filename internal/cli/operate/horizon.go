package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"example.com/relationindex/audit/horizon"
	"example.com/relationindex/internal/cli/command"
	"example.com/relationindex/internal/cli/console"
	"example.com/relationindex/schema"
)

func newHorizon(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "horizon [POSTS]",
		Short: "Change for how many of an audience's newest posts there are relations",
		Long: `horizon stores for how many of an audience's newest posts there are relations, and
brings the relations of all audiences up to date. 0 means all posts. Without POSTS, it
prints what is stored.

Deploy functions with RELATIONINDEX_HORIZON first, of at least POSTS, and set it here
too: without it, they handle no event of a database that has a horizon. To end a
horizon, run 'relationindex horizon 0' first, and deploy without the variable then.

Feeds through Feed are complete meanwhile. It first lowers what readers rely on, then
changes what the functions keep. After each of the two it waits two minutes, until
all functions go by it. Then it writes the missing relations of the newest posts, if
the horizon is higher, and deletes those of the oldest where too many are kept. At
the end it raises what readers rely on. Clients may go on writing meanwhile. If it
was interrupted, run it again.` + command.TargetHelp,
		Example: `  relationindex horizon
  relationindex horizon 100
  relationindex horizon 100 --project my-project --live --json    # one object: audiences, filled, evicted`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if t.Reads = len(args) == 0; t.Reads {
				return t.With(cmd.Context(), func(db *command.Database) error {
					return showHorizon(cmd.Context(), db, asJSON, cmd.OutOrStdout())
				})
			}
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 0 || n > schema.MaxHorizon {
				return command.Usagef("horizon %q: must be 0 to %d posts", args[0], schema.MaxHorizon)
			}
			return t.With(cmd.Context(), func(db *command.Database) error {
				if n > db.Config.Horizon {
					return command.Usagef("horizon %d: RELATIONINDEX_HORIZON is %d here: deploy the functions with RELATIONINDEX_HORIZON=%d first, and set it here too", n, db.Config.Horizon, n)
				}
				return changeHorizon(cmd.Context(), db, n, asJSON, cmd.OutOrStdout())
			})
		},
	}
	t.AddFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, `print one object {"audiences","filled","evicted"}; without POSTS {"feed","kept"}`)
	return cmd
}

// showHorizon prints what is stored.
func showHorizon(ctx context.Context, db *command.Database, asJSON bool, out io.Writer) error {
	h, err := schema.NewHorizons(db.Client, true).Read(ctx)
	switch {
	case err != nil:
		return err
	case asJSON:
		return json.NewEncoder(out).Encode(h)
	case h.Feed == h.Kept:
		_, err = fmt.Fprintf(out, "the horizon is %s\n", posts(h.Feed))
	default:
		_, err = fmt.Fprintf(out, "a change of the horizon has not ended: readers rely on %s, functions keep %s. Run 'relationindex horizon POSTS' again\n", posts(h.Feed), posts(h.Kept))
	}
	return err
}

// changeHorizon prints the counts also if it did not get to the end.
func changeHorizon(ctx context.Context, db *command.Database, n int, asJSON bool, out io.Writer) error {
	index, err := db.Index(ctx)
	if err == nil {
		err = command.NeedsRelations(index)
	}
	if err != nil {
		return err
	}
	bar := console.Start("horizon: audiences", -1)
	defer bar.End()
	done, err := horizon.Change(ctx, index, n, horizon.Options{
		Progress: bar.Set,
		Stored: func(h schema.Horizon, wait time.Duration) {
			if !asJSON {
				bar.Above(func() {
					fmt.Fprintf(out, "stored: readers rely on %s, functions keep %s; waiting %v until all go by it\n", posts(h.Feed), posts(h.Kept), wait.Round(time.Second))
				})
			}
		},
	})
	bar.End()
	if asJSON {
		return errors.Join(err, json.NewEncoder(out).Encode(done))
	}
	fmt.Fprintf(out, "looked at %d audiences: %d posts have relations again, %d have none any more\n", done.Audiences, done.Filled, done.Evicted)
	if err != nil {
		return fmt.Errorf("not finished (run it again to go on): %w", err)
	}
	fmt.Fprintf(out, "the horizon is %s\n", posts(n))
	return nil
}

// posts names a horizon.
func posts(n int) string {
	if n == 0 {
		return "all posts"
	}
	return fmt.Sprintf("%d posts", n)
}
