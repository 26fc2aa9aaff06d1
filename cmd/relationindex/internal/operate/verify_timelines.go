package operate

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/social"
)

func newVerifyTimelines(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards, Reads: true}
	var o entries.Options
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify-timelines",
		Short: "Check every timeline against posts and follows",
		Long: `verify-timelines prints each wrong entry: one that differs from its post, whose audience the
reader does not follow, that is in a timeline twice, or that is missing. It also prints each
document whose fields contradict each other. It exits with 1 if it finds any, or if
timelines have a gap, which standard error names.

An entry is missing if its post was made after the follow, or names the reader, and no newer
entry has replaced it. verify-timelines checks the newest thousand posts of each followed
account, and the newest 50,000 of all these. With --posts, it checks that number of the newest
posts that reach a reader: use the number that 'relationindex repair-timelines' had.

It changes nothing. It reads every timeline, follow and post. Use it on a database at rest:
wait for /idle first. 'relationindex repair-timelines' corrects what it finds.` + command.TargetHelp,
		Example: `  relationindex verify-timelines
  relationindex verify-timelines --posts 100 --project my-project --json    # an object on each line, the counts on the last`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkPosts(o); err != nil {
				return err
			}
			return t.With(cmd.Context(), func(db *command.Database) error {
				index, err := db.Index(cmd.Context())
				if err != nil {
					return err
				}
				if index.Timelines == nil {
					return command.Usagef("RELATIONINDEX_FEEDS has no items, buckets or days: there are no timelines to verify")
				}
				return db.Judged(config.Timelines, verifyTimelines(cmd.Context(), index, o, asJSON, cmd.OutOrStdout()))
			})
		},
	}
	t.AddFlags(cmd)
	cmd.Flags().IntVar(&o.Posts, "posts", 0, "check this number of a reader's newest posts, 1 to 1,000; 0: all posts made after the follow")
	cmd.Flags().BoolVar(&asJSON, "json", false, `print objects {"document","post","problem"}, and the counts on the last line`)
	return cmd
}

// verifyTimelines checks timelines, and prints the problems. If there are problems, it returns command.ErrReported.
func verifyTimelines(ctx context.Context, index *social.System, o entries.Options, asJSON bool, out io.Writer) error {
	l := newListing("verify-timelines: documents", asJSON, out)
	defer l.bar.End()
	o.Report, o.Progress = func(p entries.Problem) { l.add(p) }, l.bar.Set
	o.Skipped = l.skip
	counts, err := entries.Check(ctx, index.Timelines, o)
	return l.end(err, counts, fmt.Sprintf("checked %d timelines, %d documents, %d entries%s\nverify-timelines: %d problems",
		counts.Timelines, counts.Documents, counts.Entries, skippedText(counts.Skipped), counts.Problems))
}

func checkPosts(o entries.Options) error {
	if o.Posts < 0 || o.Posts > entries.MaxPosts {
		return command.Usagef("--posts %d: must be 0 to %d", o.Posts, entries.MaxPosts)
	}
	return nil
}
