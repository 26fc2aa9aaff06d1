package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
		Use:   "horizon [DURATION]",
		Short: "Change how old posts may be that have relations",
		Long: `horizon stores how old posts may be that have relations, such as 720h. 0 means of any
age. Without DURATION, it prints what is stored.

Deploy functions with RELATIONINDEX_HORIZON first, of at least DURATION, and set it
here too: without it, they handle no event of a database that has a horizon. To end a
horizon, run 'relationindex horizon 0' first, and deploy without the variable then.

Feeds through Feed are complete meanwhile. It first lowers what readers rely on, then
changes what the functions keep. After each of the two it waits two minutes, until
all functions go by it. A longer horizon then takes a repair, as 'relationindex
repair' does it: it writes missing relations, and every relation's new expireAt. At
the end it raises what readers rely on. Clients may go on writing meanwhile. If it
was interrupted, run it again.

A shorter horizon takes no repair: relations go when they would have gone. The first
horizon is such a one: run 'relationindex repair' then, or the relations that are there
have no expireAt and stay.` + command.TargetHelp,
		Example: `  relationindex horizon
  relationindex horizon 720h
  relationindex horizon 720h --project my-project --live --json    # one object: that of repair`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if t.Reads = len(args) == 0; t.Reads {
				return t.With(cmd.Context(), func(db *command.Database) error {
					return showHorizon(cmd.Context(), db, asJSON, cmd.OutOrStdout())
				})
			}
			d, err := time.ParseDuration(args[0])
			if err == nil {
				err = schema.CheckHorizon(d)
			}
			if err != nil {
				return command.Usage(err)
			}
			return t.With(cmd.Context(), func(db *command.Database) error {
				if d > db.Config.Horizon {
					return command.Usagef("horizon %s: RELATIONINDEX_HORIZON is %v here: deploy the functions with RELATIONINDEX_HORIZON=%s first, and set it here too",
						console.Hours(d), db.Config.Horizon, console.Hours(d))
				}
				return changeHorizon(cmd.Context(), db, d, asJSON, cmd.OutOrStdout())
			})
		},
	}
	t.AddFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, `print one object {"before","after","left"}; without DURATION {"feed","kept"}`)
	return cmd
}

// showHorizon prints what is stored.
func showHorizon(ctx context.Context, db *command.Database, asJSON bool, out io.Writer) error {
	h, err := schema.NewHorizons(db.Client, true).Read(ctx)
	switch {
	case err != nil:
		return err
	case asJSON:
		return json.NewEncoder(out).Encode(map[string]string{"feed": h.Feed.String(), "kept": h.Kept.String()})
	case h.Feed == h.Kept:
		_, err = fmt.Fprintf(out, "the horizon is %s\n", age(h.Feed))
	default:
		_, err = fmt.Fprintf(out, "a change of the horizon has not ended: readers rely on %s, functions keep %s. Run 'relationindex horizon DURATION' again\n", age(h.Feed), age(h.Kept))
	}
	return err
}

func changeHorizon(ctx context.Context, db *command.Database, d time.Duration, asJSON bool, out io.Writer) error {
	index, err := db.Index(ctx)
	if err == nil {
		err = command.NeedsRelations(index)
	}
	if err != nil {
		return err
	}
	bar := console.Start("horizon", -1)
	defer bar.End()
	done, err := horizon.Change(ctx, index, d, horizon.Options{
		Progress: func(doing string, documents int64) {
			bar.Describe(doing + ": documents")
			bar.Set(documents)
		},
		Stored: func(h schema.Horizon, wait time.Duration) {
			if !asJSON {
				bar.Above(func() {
					fmt.Fprintf(out, "stored: readers rely on %s, functions keep %s; waiting %v until all go by it\n", age(h.Feed), age(h.Kept), wait.Round(time.Second))
				})
			}
		},
	})
	bar.End()
	if asJSON {
		return errors.Join(err, json.NewEncoder(out).Encode(done))
	}
	if err != nil {
		return fmt.Errorf("not finished (run it again to go on): %w", err)
	}
	fmt.Fprintf(out, "repaired: %d violations before, %d after\nthe horizon is %s\n", done.Before.Violations, done.After.Violations, age(d))
	return nil
}

// age names a horizon.
func age(d time.Duration) string {
	if d == 0 {
		return "posts of any age"
	}
	return console.Hours(d)
}
