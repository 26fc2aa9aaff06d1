package operate

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/relationindex/assembly"
	"example.com/relationindex/audit/fill"
	"example.com/relationindex/internal/cli/command"
	"example.com/relationindex/internal/cli/console"
	"example.com/relationindex/timelines"
)

func newFillTimelines(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards}
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "fill-timelines",
		Short: "Bring existing posts to timelines that were turned on",
		Long: `fill-timelines brings to each reader who follows somebody the newest posts of those
whom they follow, and those that name them, oldest first. RELATIONINDEX_TIMELINE has to
be set as for the functions. Deploy these first, so that new posts come too.

It reads up to --posts posts for each follow, and writes what is missing. Clients and
functions may go on meanwhile. If it was interrupted, run it again: it reads what is
there, and writes the rest.` + command.TargetHelp,
		Example: `  relationindex fill-timelines
  relationindex fill-timelines --posts 1000 --project my-project --live --json    # one object: readers, posts`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 || limit > timelines.MaxFill {
				return command.Usagef("--posts %d: must be 1 to %d", limit, timelines.MaxFill)
			}
			return t.WithIndex(cmd.Context(), func(index *assembly.System) error {
				if index.Timelines == nil {
					return command.Usagef("RELATIONINDEX_TIMELINE is not set: there are no timelines to fill")
				}
				bar := console.Start("fill-timelines: readers", -1)
				defer bar.End()
				filled, err := fill.Timelines(cmd.Context(), index, limit, bar.Set)
				bar.End()
				if asJSON {
					if printed := json.NewEncoder(cmd.OutOrStdout()).Encode(filled); err == nil {
						err = printed
					}
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "filled %d timelines, which should have %d posts\n", filled.Readers, filled.Posts)
				return err
			})
		},
	}
	t.AddFlags(cmd)
	cmd.Flags().IntVar(&limit, "posts", 100, "the most posts of a reader, 1 to 1,000")
	cmd.Flags().BoolVar(&asJSON, "json", false, `print one object {"readers","posts"}`)
	return cmd
}
