package operate

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/social"
)

func newRepairTimelines(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards, Brings: true}
	var o entries.Options
	var asJSON, remove bool
	cmd := &cobra.Command{
		Use:   "repair-timelines",
		Short: "Correct every timeline to match posts and follows, and fill new timelines",
		Long: `repair-timelines corrects what 'relationindex verify-timelines' finds, and prints it: it
corrects and removes entries, adds missing ones, and corrects totals. It uses the variables
of the functions, and stops if yours differ, unless --differ names them. If
RELATIONINDEX_BUCKET or RELATIONINDEX_CAP has changed, existing timelines get the new size,
unless entries would be lost.

It leaves what only other variables would write, and prints it: documents of another layout,
entries of authors whom the reader no longer follows, a reader's own posts, and entries
beyond the cap. With --delete, it deletes these, and adds what this layout requires.

It adds every post that was made after its reader's follow, up to a thousand of each followed
account. With --posts, it takes that number of the newest posts that reach a reader, also
if they are older than the follow, and no others: use this when timelines are turned on for
existing data. Deploy the functions first, so that new posts arrive too. With a cap, it adds
at most that number of posts; posts that come late to a full timeline replace others.

If it cannot correct a timeline, it prints the timeline and what to do, and continues with
the next one.

It reads all follows, timelines and posts. Clients and functions may write meanwhile. After
an interruption, run it again: it reads what is there, and writes the rest.` + command.TargetHelp,
		Example: `  relationindex repair-timelines
  relationindex repair-timelines --delete          # after the layout in RELATIONINDEX_FEEDS has changed
  relationindex repair-timelines --posts 100 --project my-project --live --json    # an object on each line, the counts on the last`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkPosts(o); err != nil {
				return err
			}
			return t.WithIndex(cmd.Context(), func(index *social.System) error {
				if index.Timelines == nil {
					return command.Usagef("RELATIONINDEX_FEEDS has no items, buckets or days: there are no timelines to repair")
				}
				o.KeepOthers = !remove
				_, err := repairTimelines(cmd.Context(), index, o, asJSON, cmd.OutOrStdout())
				return err
			})
		},
	}
	t.AddFlags(cmd)
	cmd.Flags().IntVar(&o.Posts, "posts", 0, "add this number of a reader's newest posts, 1 to 1,000; 0: all posts made after the follow")
	cmd.Flags().BoolVar(&remove, "delete", false, "also delete what only other variables would write")
	cmd.Flags().BoolVar(&asJSON, "json", false, `print objects {"document","post","problem"}, and the counts on the last line`)
	return cmd
}

// repairTimelines repairs timelines, and prints the problems and the counts. If problems are left, it returns
// command.ErrReported.
func repairTimelines(ctx context.Context, index *social.System, o entries.Options, asJSON bool, out io.Writer) (entries.Checked, error) {
	l := newListing("repair-timelines: documents", asJSON, out)
	defer l.bar.End()
	o.Report, o.Progress = func(p entries.Problem) { l.add(p) }, l.bar.Set
	o.Skipped = l.skip
	counts, err := entries.Repair(ctx, index.Timelines, o)
	result := fmt.Sprintf("mended %d problems, brought %d posts", counts.Problems, counts.Posts)
	if l.found = int(counts.Unrepaired + counts.Left); l.found > 0 { // the other problems are mended
		result = fmt.Sprintf("found %d problems, brought %d posts, could not repair %d timelines", counts.Problems, counts.Posts, counts.Unrepaired)
	}
	if counts.Left > 0 {
		result += fmt.Sprintf(`, left %d that these variables do not keep.
If RELATIONINDEX_FEEDS, _CAP, _BUCKET, _KEEP_ON_UNFOLLOW, _NO_OWN_POSTS and _POSTS are as in the functions, run it again with --delete`, counts.Left)
	}
	return counts, l.end(err, counts, fmt.Sprintf("checked %d timelines, %d documents, %d entries%s\nrepair-timelines: %s",
		counts.Timelines, counts.Documents, counts.Entries, skippedText(counts.Skipped), result))
}
