package operate

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/relationindex/assembly"
	"example.com/relationindex/audit/entries"
	"example.com/relationindex/internal/cli/command"
)

func newVerifyTimelines(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards, Reads: true}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify-timelines",
		Short: "Check every timeline against posts and follows",
		Long: `verify-timelines prints each entry that is not as its post says, whose reader does not
follow its audience, that is in a timeline twice, or that is missing, and each document
that does not agree with itself. RELATIONINDEX_TIMELINE has to be set as for the functions.

An entry is missing if its post was made after the follow, or names the reader, and
nothing has pushed it out. Of those whom a reader follows, it looks at the newest
thousand posts each.

It changes nothing. It reads every timeline, follow and post, and is meant for a database
at rest: wait for /idle first. 'relationindex repair-timelines' mends what it finds.` + command.TargetHelp,
		Example: `  relationindex verify-timelines
  relationindex verify-timelines --project my-project --json    # an object on each line, the counts on the last`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.WithIndex(cmd.Context(), func(index *assembly.System) error {
				if index.Timelines == nil {
					return command.Usagef("RELATIONINDEX_TIMELINE is not set: there are no timelines to verify")
				}
				l := newListing("verify-timelines: documents", asJSON, cmd.OutOrStdout())
				defer l.bar.End()
				counts, err := entries.Check(cmd.Context(), index.Timelines, func(p entries.Problem) { l.add(p) }, l.bar.Set)
				return l.end(err, counts, fmt.Sprintf("checked %d timelines, %d documents, %d entries\nverify-timelines: %d problems",
					counts.Timelines, counts.Documents, counts.Entries, counts.Problems))
			})
		},
	}
	t.AddFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, `print objects {"document","post","problem"}, and the counts on the last line`)
	return cmd
}
