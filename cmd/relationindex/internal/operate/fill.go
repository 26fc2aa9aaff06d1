package operate

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"example.com/relationindex/audit/fill"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/social"
)

func newFillPosts(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards}
	var dryRun, asJSON bool
	cmd := &cobra.Command{
		Use:   "fill-posts",
		Short: "Write audience and hidden into posts that lack them",
		Long: `fill-posts writes audience, with the value of userId, and hidden, false, into posts
that lack them: those of earlier clients and of servers. Clients' queries require
both fields. It changes nothing else, and no feed changes.

It reads every post once, and writes those that lack a field. The functions' events
of these writes cost no reads. Clients may go on writing meanwhile. If it was
interrupted, run it again: it continues with the posts that still lack a field.

It exits with 1 if most posts have no author to copy into audience, or if there are no
posts.` + command.TargetHelp,
		Example: `  relationindex fill-posts --dry-run
  relationindex fill-posts --project my-project --live --json    # one object: posts, filled, bad`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t.Reads = dryRun
			return t.WithIndex(cmd.Context(), func(index *social.System) error {
				return fillPosts(cmd, index, dryRun, asJSON, cmd.OutOrStdout())
			})
		},
	}
	t.AddFlags(cmd)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only count the posts that would be written")
	cmd.Flags().BoolVar(&asJSON, "json", false, `print one object {"posts","filled","bad"}`)
	return cmd
}

// fillPosts fills posts, and prints the counts even after an error.
func fillPosts(cmd *cobra.Command, index *social.System, dryRun, asJSON bool, out io.Writer) error {
	bar := console.Start("fill-posts: posts", -1)
	defer bar.End()
	filled, err := fill.Posts(cmd.Context(), index, fill.Options{DryRun: dryRun, Progress: bar.Set})
	bar.End()
	if asJSON {
		if printed := json.NewEncoder(out).Encode(filled); err == nil {
			err = printed
		}
		return cmp.Or(err, littleFilled(filled))
	}
	what := "filled"
	if dryRun {
		what = "would fill"
	}
	fmt.Fprintf(out, "read %d posts, %s %d; %d have no author and stay as they are\n", filled.Posts, what, filled.Filled, filled.Bad)
	return cmp.Or(err, littleFilled(filled))
}

// littleFilled returns an error if there are no posts, or if most posts have no author.
func littleFilled(f fill.Filled) error {
	switch {
	case f.Posts == 0:
		return errors.New("fill-posts: there are no posts: check --project, RELATIONINDEX_DATABASE and RELATIONINDEX_POSTS")
	case 2*f.Bad > f.Posts:
		return authorless("fill-posts", f.Bad, f.Posts)
	}
	return nil
}
