package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"example.com/relationindex/internal/console"
	"example.com/relationindex/relations"
)

func newVerify() *cobra.Command {
	var t target
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check that the index agrees with follows and posts",
		Long: `verify checks what holds when nothing is under way, prints each document that
breaks it, and exits with 1 if there is any:

  1  follows, index documents and the lists of whom a user follows agree
  2  every index document is well-formed
  3  every post has its relations, true copies, and there are no others
  4  no job is under way

It changes nothing. It reads every document of the index, and is meant for a
database at rest: wait for /idle first.` + targetHelp,
		Example: `  relationindex verify
  relationindex verify --project my-project --json    # an object on each line, the counts on the last`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, err := t.open(cmd.Context())
			if err != nil {
				return err
			}
			defer db.client.Close()
			index, err := db.index()
			if err != nil {
				return err
			}
			return verify(cmd.Context(), index, asJSON, cmd.OutOrStdout())
		},
	}
	t.addFlag(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, `print objects {"document","invariant","problem"}, and the counts on the last line`)
	return cmd
}

// verify prints violations as they are found, and then the counts. It returns
// errReported if there were violations.
func verify(ctx context.Context, index *relations.Index, asJSON bool, out io.Writer) error {
	progress := console.Start("verify: documents", -1)
	defer progress.End()
	encode := json.NewEncoder(out)
	var printErr error
	counts, err := index.Verify(ctx, func(v relations.Violation) {
		progress.Above(func() {
			if asJSON {
				printErr = errors.Join(printErr, encode.Encode(v))
			} else {
				fmt.Fprintln(out, v)
			}
		})
	}, progress.Set)
	progress.End()
	if err := errors.Join(err, printErr); err != nil {
		return err
	}
	if asJSON {
		err = encode.Encode(counts)
	} else {
		_, err = fmt.Fprintf(out, "checked %d follows, %d mirrors, %d index documents, %d posts, %d relations, %d open jobs\nverify: %d violations\n",
			counts.Followers, counts.Mirrors, counts.IndexDocuments, counts.Posts, counts.Relations, counts.Jobs, counts.Violations)
	}
	if err == nil && counts.Violations > 0 {
		err = errReported
	}
	return err
}
