package operate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"example.com/relationindex/chunker"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
)

func newPurge(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards}
	var yes, tombstone bool
	cmd := &cobra.Command{
		Use:   "purge USER",
		Short: "Remove an account whose deletion did not reach the functions",
		Long: `purge removes an account from all collections, as the deletion of its user document does.
Use it if the functions never received the event of that deletion: because the profile was
above 512 KB, or because the functions were not yet deployed.

purge first counts the documents, and removes nothing without --yes. It rejects an account
that has a profile: delete the user document instead. With --yes, a job does the removal:
'relationindex jobs wait' waits for its end. The job also removes documents that deliveries of
the app wrote; the command does not count these.

purge also rejects an id that no document and no earlier purge names: a purge leaves a
tombstone that stays, and a group with this id can never be used again. If you know that
the account was deleted, --tombstone writes the tombstone for such an id too.` + command.TargetHelp,
		Example: `  relationindex purge 223789
  relationindex purge 223789 --project my-project --live --yes`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			u := args[0]
			if err := schema.CheckAccountID(u); err != nil {
				return command.Usagef("account %q: %w", u, err)
			}
			t.Reads = !yes
			return t.WithIndex(cmd.Context(), func(index *social.System) error {
				counts, profile, err := index.Accounts.Account(cmd.Context(), u)
				if err != nil {
					return err
				}
				for _, what := range slices.Sorted(maps.Keys(counts)) {
					fmt.Fprintf(cmd.OutOrStdout(), "%-16s%d\n", what, counts[what])
				}
				switch {
				case profile:
					return fmt.Errorf("account %q has a profile, so nothing was removed: to remove the account, delete its user document", u)
				case !tombstone && slices.Max(slices.Collect(maps.Values(counts))) == 0:
					if err := mustBeNamed(cmd.Context(), index, u); err != nil {
						return err
					}
				}
				if !yes {
					fmt.Fprintln(cmd.OutOrStdout(), "nothing is removed without --yes")
					return nil
				}
				if err := index.Graph.CheckTombstoneKey(cmd.Context()); err != nil { // the job's id is made with the key
					return err
				}
				id, said := schema.PurgeJobID(index.DB.TombstoneID(u)), "a purge of this account is under way already"
				job, err := index.Engine.Get(cmd.Context(), id)
				if errors.Is(err, chunker.ErrNotFound) || err == nil && job.State.Finished() {
					said = "a job removes them"
					err = index.Accounts.Purge(cmd.Context(), u, "by hand "+schema.Generation(time.Now()), "")
				}
				if err == nil {
					fmt.Fprintf(cmd.OutOrStdout(), "%s: see '%s'\n", said, t.Hint("jobs wait "+command.Quoted(id), false))
				}
				if err == nil && !schema.IsGroup(u) { // nobody signs in as a group
					fmt.Fprintf(cmd.OutOrStdout(), afterPurge, t.Hint("trace "+command.Quoted(u), false))
				}
				return err
			})
		},
	}
	t.AddFlags(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "remove the account")
	cmd.Flags().BoolVar(&tombstone, "tombstone", false, "with --yes: write the tombstone even if no document names the account")
	return cmd
}

// afterPurge is a text about what a client may do until and after the end of a purge. Its argument is a command.
const afterPurge = `Until an hour after the purge, rules let no client create the account again: a client may still have its ID token.
After that hour, run '%s', and purge again what it finds: docs/operations.md, "What a deletion leaves"
`

// mustBeNamed returns an error if no document names the account. It is for an account without counted documents.
func mustBeNamed(ctx context.Context, index *social.System, u string) error {
	if err := index.Graph.CheckTombstoneKey(ctx); err != nil { // without the key, an earlier purge would not be found
		return err
	}
	named, err := index.Accounts.Named(ctx, u)
	if err != nil || named {
		return err
	}
	return fmt.Errorf("account %q: the purge found no data and wrote nothing: check the account id, --project and RELATIONINDEX_DATABASE. If you know that the account was deleted, add --tombstone to write its tombstone", u)
}
