package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/relationindex/audit/horizon"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/schema"
)

func newHorizon(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "horizon [DURATION]",
		Short: "Change the age up to which posts have relations",
		Long: `horizon stores the age up to which posts have relations, such as 720h. 0 means any age.
Without DURATION, horizon prints the stored age.

First deploy functions with a RELATIONINDEX_HORIZON of at least DURATION: functions without
the variable handle no events of a database that has a horizon. To end a horizon, first run
'relationindex horizon 0', and then deploy without the variable.

Pages of Feed stay complete meanwhile. horizon first lowers the age that readers rely on,
and then changes the age that functions keep. After each of these steps it waits six
minutes, until all functions use the new age. Then it reads every relation, without its
followers, and writes expireAt where it is missing or too early. For a longer horizon, it
also runs 'relationindex repair', which writes missing relations. At the end it raises the
age that readers rely on. Clients may write meanwhile. After an interruption, run horizon
again with the same DURATION.

A shorter horizon reads no relations: existing relations keep their expireAt.` + command.TargetHelp,
		Example: `  relationindex horizon
  relationindex horizon 720h
  relationindex horizon 720h --project my-project --live --json    # one object: that of repair, and renewed`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if t.Reads = len(args) == 0; t.Reads {
				return t.With(cmd.Context(), func(db *command.Database) error {
					return showHorizon(cmd.Context(), db, asJSON, cmd.OutOrStdout())
				})
			}
			d, err := time.ParseDuration(args[0])
			if err != nil || schema.CheckHorizon(d) != nil {
				return errDuration
			}
			return t.With(cmd.Context(), func(db *command.Database) error {
				if d > db.Config.Horizon {
					allowed := "not set"
					if db.Config.Horizon > 0 {
						allowed = console.Hours(db.Config.Horizon)
					}
					return command.Usagef("horizon %s: RELATIONINDEX_HORIZON is %s: deploy the functions with RELATIONINDEX_HORIZON=%s first", console.Hours(d), allowed, console.Hours(d))
				}
				return changeHorizon(cmd.Context(), db, d, asJSON, cmd.OutOrStdout())
			})
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		if unknown := new(pflag.NotExistError); errors.As(err, &unknown) && strings.Trim(unknown.GetSpecifiedShortnames(), "0123456789.hms") == "" {
			return errDuration // cobra reads a negative duration as a flag
		}
		return err
	})
	t.AddFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, `print one object {"before","after","left","repair","renewed","shorter"}; without DURATION {"feed","kept"}`)
	return cmd
}

var errDuration = command.Usagef("DURATION must be 0, or 1h to 87600h, such as 720h for 30 days (there is no unit d)")

// showHorizon prints the stored horizon.
func showHorizon(ctx context.Context, db *command.Database, asJSON bool, out io.Writer) error {
	h, err := schema.NewHorizons(db.Client, true).Read(ctx)
	switch {
	case err != nil:
		return err
	case asJSON:
		return json.NewEncoder(out).Encode(map[string]string{"feed": h.Feed.String(), "kept": h.Kept.String()})
	case h.Feed == h.Kept:
		fmt.Fprintln(out, horizonIs(h.Feed))
		if allowed := db.Config.Horizon; allowed > 0 && allowed != h.Feed {
			fmt.Fprintf(out, "RELATIONINDEX_HORIZON allows up to %[1]s; %[2]s is stored: run 'relationindex horizon %[1]s'\n", console.Hours(allowed), age(h.Feed))
		}
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
	fmt.Fprintln(out, did(done)+horizonIs(d))
	return nil
}

// did returns lines that describe a change of the horizon.
func did(done horizon.Changed) (text string) {
	if done.Shorter {
		return "no repair was needed for a shorter horizon\n"
	}
	text = fmt.Sprintf("%d relations have a new expireAt\n", done.Renewed)
	if done.Repair {
		text += fmt.Sprintf("repaired: %d violations before, %d after\n", done.Before.Violations, done.After.Violations)
	}
	return text
}

// horizonIs returns a sentence with the horizon.
func horizonIs(d time.Duration) string {
	if d == 0 {
		return "no horizon: posts of any age have relations"
	}
	return "the horizon is " + console.Hours(d)
}

// age returns a horizon as an age of posts.
func age(d time.Duration) string {
	if d == 0 {
		return "posts of any age"
	}
	return console.Hours(d)
}
