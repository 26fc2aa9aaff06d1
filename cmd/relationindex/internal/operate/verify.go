package operate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"example.com/relationindex/audit/verify"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
)

func newVerify(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards}
	var author string
	var asJSON bool
	var some sampler
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check that the index agrees with follows and posts",
		Long: `verify checks five invariants, which hold when no work is under way. If a document breaks
an invariant, verify exits with 1. For each cause, verify prints the number of such
documents and the first few. Index documents come first, because they explain most of the
rest:

  1  follows, index documents and each user's list of followed authors agree
  2  every index document is well-formed
  3  every post has its relations, these have correct copies, and no others exist
  4  no job is under way, and _purging has no mark without expireAt
  5  nobody follows an author who blocks them, or whom they block

verify also prints, by cause, the documents that it skipped: posts without an author,
documents with an id that functions ignore, and posts without createdAt, which lists
leave out.

verify also exits with 1 in three other cases: relations have a gap, because they were
off for some time or the database was imported (standard error names the gap); most
posts have no author; or there was nothing to check.

verify changes nothing. It reads every document of the index, or with --author the
documents of one author. Use it on a database at rest: wait for /idle first.
'relationindex repair' corrects what verify finds.

With --author, verify misses relations, and entries in lists of followed authors, if no
document of the author leads to them.` + sampleHelp + command.TargetHelp,
		Example: `  relationindex verify
  relationindex verify --author 223789
  relationindex verify --sample --reads 50000 --repair --project my-project --live
  relationindex verify --project my-project --json    # an object on each line, the counts on the last`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkAuthor(cmd, author); err != nil {
				return err
			}
			if err := some.checkFlags(cmd); err != nil {
				return err
			}
			t.Reads, some.asJSON, some.out = !some.on, asJSON, cmd.OutOrStdout()
			return t.With(cmd.Context(), func(db *command.Database) error {
				index, err := db.Index(cmd.Context())
				if err == nil && some.on {
					some.options.KeepOthers = !db.Known // as in repair
					return some.run(cmd.Context(), index)
				}
				if err == nil {
					err = command.NeedsRelations(index)
				}
				if err != nil {
					return err
				}
				return db.Judged(config.Relations, Verify(cmd.Context(), index, author, asJSON, cmd.OutOrStdout()))
			})
		},
	}
	t.AddFlags(cmd)
	addAuthorFlag(cmd, &author)
	some.addFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, `print objects {"document","invariant","problem", and the ids concerned}, and the counts on the last line`)
	return cmd
}

// authorFlag restricts verify and repair to one author.
const authorFlag = "author"

func addAuthorFlag(cmd *cobra.Command, author *string) {
	cmd.Flags().StringVar(author, authorFlag, "", "only this author's followers, index documents and relations")
}

// checkAuthor rejects a value of the flag that cannot be an account id. Without the flag, author is "".
func checkAuthor(cmd *cobra.Command, author string) error {
	if !cmd.Flags().Changed(authorFlag) {
		return nil
	}
	if err := schema.CheckAccountID(author); err != nil {
		return command.Usagef("--%s %q: %w", authorFlag, author, err)
	}
	return nil
}

// Verify checks one author, or all if author is "". It prints violations by their causes, or as JSON when it finds
// them, and then the counts. It returns command.ErrReported if there were violations. It returns another error if
// the counts do not show that all is well: see doubt.
func Verify(ctx context.Context, index *social.System, author string, asJSON bool, out io.Writer) error {
	l := newListing("verify: documents", asJSON, out)
	defer l.bar.End()
	verifier := verify.New(index)
	verifier.Skipped = l.skip
	counts, err := verified(ctx, verifier, author, l.violation, l.bar.Set)
	err = l.end(err, counts, fmt.Sprintf(
		"checked %d follows, %d edges, %d index documents, %d posts, %d relations, %d open jobs, %d blocks%s\nverify: %d violations",
		counts.Followers, counts.Edges, counts.IndexDocuments, counts.Posts, counts.Relations, counts.Jobs, counts.Blocks, skippedText(counts.Skipped), counts.Violations))
	if err == nil || errors.Is(err, command.ErrReported) {
		return cmp.Or(doubt("verify", counts, false), err)
	}
	return err
}

// doubt returns an error if the counts of a command do not show that all is well. Then there was nothing to check, or
// most posts have no author.
func doubt(command string, c verify.Verified, relationsOff bool) error {
	what := "no follows, no posts"
	if relationsOff { // posts are not read
		what = "no follows"
	}
	switch {
	case c.Followers+c.Edges+c.IndexDocuments+c.Posts+c.Relations+c.Jobs+c.Blocks+c.Violations == 0:
		return fmt.Errorf("%s: found nothing to check: %s, and no documents derived from them: check --project and RELATIONINDEX_DATABASE", command, what)
	case 2*c.Ignored > c.Posts:
		return authorless(command, c.Ignored, c.Posts)
	}
	return nil
}

// authorless returns the error that most posts have no author.
func authorless(command string, n, posts int64) error {
	return fmt.Errorf("%s: %d of %d posts have no author in the field %s, so no follower gets these posts. To see the fields of posts, run 'relationindex survey'", command, n, posts, schema.FieldUserID)
}

// skippedText returns the number of skipped documents for the last line, or "" if there are none.
func skippedText(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", skipped %d", n)
}

// verified verifies one author, or all if author is "".
func verified(ctx context.Context, x *verify.Verifier, author string, report func(verify.Violation), progress func(int64)) (verify.Verified, error) {
	if author == "" {
		return x.All(ctx, report, progress)
	}
	return x.Author(ctx, author, report, progress)
}
