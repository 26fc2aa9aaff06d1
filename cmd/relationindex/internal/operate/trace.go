package operate

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"example.com/relationindex/accounts"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
)

func newTrace(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards, Reads: true}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "trace USER",
		Short: "Find every document that names an account",
		Long: `trace searches all documents of the index's collections, also users, posts and jobs, for the
id of an account: in paths, in fields, in arrays. It prints each document that names the
account, and exits with 1 if there is one. After the purge of a deleted account, only its
posts may be left, if they are kept, and blocks by others, users/OTHER/blocked/USER, which
belong to those others. trace does not search documents that deliveries of the app wrote,
nor marks of purges that have ended, _purging/USER, which Firestore deletes within about a day.

It changes nothing. It reads every document, so use it only for occasional checks.` + command.TargetHelp,
		Example: `  relationindex trace 223789
  relationindex trace --project my-project --json 223789    # {"document","where"} on each line`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "" || strings.Contains(args[0], "/") { // trace searches for other strange ids
				return command.Usagef("account %q: %w", args[0], schema.CheckID(args[0]))
			}
			return t.WithIndex(cmd.Context(), func(index *social.System) error {
				return trace(cmd.Context(), index, args[0], asJSON, cmd.OutOrStdout())
			})
		},
	}
	t.AddFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, `print objects {"document","where"}, and {"traces"} on the last line`)
	return cmd
}

// trace prints documents when it finds them, and then their number. If it finds any, it returns
// command.ErrReported.
func trace(ctx context.Context, index *social.System, user string, asJSON bool, out io.Writer) error {
	l := newListing("trace: documents", asJSON, out)
	defer l.bar.End()
	err := index.Accounts.Traces(ctx, user, func(t accounts.Trace) { l.add(t) }, l.bar.Set)
	return l.end(err, map[string]int{"traces": l.found}, fmt.Sprintf("trace: %q is named in %d places", user, l.found))
}
