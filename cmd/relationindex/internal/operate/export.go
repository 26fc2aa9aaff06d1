package operate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/cmd/relationindex/internal/files"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/schema/names"
)

func newExport(guards command.Guards) *cobra.Command {
	cmd := command.Group(&cobra.Command{
		Use:                   "export follows|posts FILE",
		DisableFlagsInUseLine: true,
		Short:                 "Write follows or posts into a text file, which import reads",
		Example: `  relationindex export follows follows.csv.gz
  relationindex export posts posts.csv`,
	}, "'export follows FILE' or 'export posts FILE'")
	cmd.AddCommand(
		newExportOf(guards, "follows", files.Follows, `Each follow document users/{followed}/followers/{follower} becomes a line: follower,
followed, createdAt. Index documents, edges and relations are not in the file: an
import makes them again. export costs a read for each follow document, also for those
in other collections named followers.`),
		newExportOf(guards, "posts", files.Posts, `Each post becomes a line: id, author, createdAt, audience (empty: for no followers),
hidden. The file leaves out recipients ('to'), mentions, kinds, comments, and your
app's own fields, such as text. To move whole documents, use 'gcloud firestore export'.
'relationindex export posts' costs a read for each post.`),
	)
	return cmd
}

func newExportOf(guards command.Guards, name string, kind func(names.Collections) files.Kind, long string) *cobra.Command {
	t := command.Target{Guards: guards, Reads: true, Plain: true}
	var asJSON, overwrite bool
	spec := kind(names.Collections{}).ExportColumns()
	cmd := &cobra.Command{
		Use:   name + " FILE",
		Short: "Write " + name + " into a text file",
		Long: "Write " + name + ` into a text file, as CSV below a line of column names.

` + long + `

FILE is compressed by gzip if its name ends in .gz; "-" is standard output. export writes to
FILE.part and renames it at the end, so an interrupted export with --overwrite keeps the
earlier FILE; run it again from the start. All lines show the database at one moment. After 50
minutes, the other lines show a later moment, and the summary says so: documents that
changed between these moments may be missing, or present although deleted. export prints
documents that do not fit a line on standard error, leaves them out, and exits with 1.

To read the file again:

  relationindex import ` + name + ` FILE --columns ` + spec + `` + command.TargetHelp,
		Example: fmt.Sprintf(`  relationindex export %[1]s %[1]s.csv.gz --project my-project
  relationindex export %[1]s - | wc -l`, name),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.With(cmd.Context(), func(db *command.Database) error {
				return runExport(cmd, db, name, kind(db.Config.Collections()), args[0], asJSON, overwrite)
			})
		},
	}
	t.AddFlags(cmd)
	cmd.Flags().BoolVar(&overwrite, "overwrite", false, "replace FILE if it exists")
	cmd.Flags().BoolVar(&asJSON, "json", false, `print {"exported","leftOut","moments"} at the end, with FILE "-" on standard error`)
	return cmd
}

// runExport exports documents to a file, and prints the summary even after an error.
func runExport(cmd *cobra.Command, db *command.Database, name string, kind files.Kind, path string, asJSON, overwrite bool) error {
	said := cmd.OutOrStdout()
	var lines io.Writer = os.Stdout // a file gets the ids unchanged
	if term.IsTerminal(int(os.Stdout.Fd())) {
		lines = cmd.OutOrStdout() // a terminal gets no control characters
	}
	if path == "-" {
		said = cmd.ErrOrStderr()
	}
	file, err := files.Create(path, lines, overwrite)
	if err != nil {
		return err
	}
	progress := console.Start("documents", -1)
	defer progress.End()
	shown := 0
	summary, err := files.Export(cmd.Context(), db.Client, kind, file, files.ExportOptions{
		Progress: progress.Set,
		LeftOut: func(document string, why error) {
			if shown++; shown <= maxShown {
				progress.Above(func() {
					fmt.Fprintf(cmd.ErrOrStderr(), "left out: %s\n", console.Printable(document+": "+why.Error()))
				})
			}
		},
	})
	progress.End()
	if shown > maxShown {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d more documents that are left out are not shown\n", shown-maxShown)
	}
	if err != nil {
		err = errors.Join(err, file.Discard())
	} else {
		err = file.Commit()
	}
	if asJSON {
		err = errors.Join(err, json.NewEncoder(said).Encode(summary))
	} else {
		fmt.Fprintln(said, summary)
	}
	switch {
	case err != nil:
		return fmt.Errorf("export %s: not finished: %w", name, err)
	case summary.LeftOut > 0:
		return command.ErrReported
	default:
		return nil
	}
}
