package operate

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/relationindex/assembly"
	"example.com/relationindex/audit/entries"
	"example.com/relationindex/internal/cli/command"
)

func newRepairTimelines(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards}
	var o entries.RepairOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "repair-timelines",
		Short: "Make every timeline agree with posts and follows again, and fill new ones",
		Long: `repair-timelines mends what 'relationindex verify-timelines' finds, and prints it: it
corrects and removes entries, brings those that are missing, and makes totals right.
RELATIONINDEX_TIMELINE has to be set as for the functions. If RELATIONINDEX_CAP or
RELATIONINDEX_BUCKET has changed, existing timelines get their new size. Documents of
another layout are deleted, and what has to be there comes in this one.

With --posts it also brings each reader so many of the newest posts of those whom they
follow, and of those that name them, even if these are older than the follow: for
timelines that are turned on over existing data. Deploy the functions first, so that new
posts come too. Where a timeline has a cap and is full, such posts push out others.

It reads all follows, timelines and posts. Clients and functions may go on meanwhile. If it
was interrupted, run it again: it reads what is there, and writes the rest.` + command.TargetHelp,
		Example: `  relationindex repair-timelines
  relationindex repair-timelines --posts 100 --project my-project --live --json    # an object on each line, the counts on the last`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Posts < 0 || o.Posts > entries.MaxPosts {
				return command.Usagef("--posts %d: must be 0 to %d", o.Posts, entries.MaxPosts)
			}
			return t.WithIndex(cmd.Context(), func(index *assembly.System) error {
				if index.Timelines == nil {
					return command.Usagef("RELATIONINDEX_TIMELINE is not set: there are no timelines to repair")
				}
				l := newListing("repair-timelines: documents", asJSON, cmd.OutOrStdout())
				defer l.bar.End()
				o.Report, o.Progress = func(p entries.Problem) { l.add(p) }, l.bar.Set
				counts, err := entries.Repair(cmd.Context(), index.Timelines, o)
				l.found = 0 // they are mended
				return l.end(err, counts, fmt.Sprintf("checked %d timelines, %d documents, %d entries\nrepair-timelines: mended %d problems, brought %d posts",
					counts.Timelines, counts.Documents, counts.Entries, counts.Problems, counts.Posts))
			})
		},
	}
	t.AddFlags(cmd)
	cmd.Flags().IntVar(&o.Posts, "posts", 0, "also bring so many of a reader's newest posts, 0 to 1,000")
	cmd.Flags().BoolVar(&asJSON, "json", false, `print objects {"document","post","problem"}, and the counts on the last line`)
	return cmd
}
