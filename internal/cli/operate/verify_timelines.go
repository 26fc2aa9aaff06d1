package operate

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/relationindex/assembly"
	"example.com/relationindex/internal/cli/command"
	"example.com/relationindex/timelines"
)

func newVerifyTimelines(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards, Reads: true}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify-timelines",
		Short: "Check every timeline against posts and follows",
		Long: `verify-timelines prints each entry that is not as its post says, whose reader does not
follow its audience, or that is in a timeline twice, and each document that does not
agree with itself. RELATIONINDEX_TIMELINE has to be set as for the functions.

It changes nothing. It reads every document of every timeline, and each of their posts,
and is meant for a database at rest: wait for /idle first. It does not look for entries
that are missing: 'relationindex fill-timelines' brings these.` + command.TargetHelp,
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
				counts, err := index.Timelines.Check(cmd.Context(), func(p timelines.Problem) { l.add(p) }, l.bar.Set)
				return l.end(err, counts, fmt.Sprintf("checked %d timelines, %d documents, %d entries\nverify-timelines: %d problems",
					counts.Timelines, counts.Documents, counts.Entries, counts.Problems))
			})
		},
	}
	t.AddFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, `print objects {"document","post","problem"}, and the counts on the last line`)
	return cmd
}
