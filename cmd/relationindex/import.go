package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"example.com/relationindex/internal/console"
	"example.com/relationindex/internal/edgelist"
	"example.com/relationindex/internal/importer"
	"example.com/relationindex/relations"
)

// maxShown is how many malformed lines are printed; all are counted.
const maxShown = 20

func newImport() *cobra.Command {
	cmd := group(&cobra.Command{
		Use:                   "import follows|posts FILE",
		DisableFlagsInUseLine: true,
		Short:                 "Write follows or posts from a text file, as clients would",
		Example: `  relationindex import follows graph.txt.gz --columns follower=1,followed=2
  relationindex import posts posts.csv --columns author=1,createdAt=3`,
	}, "'import follows FILE' or 'import posts FILE'")
	cmd.AddCommand(
		newImportOf(source{
			name: "follows", file: "graph.txt", example: "follower=1,followed=2",
			short: "Write follow documents from a text file",
			long: `Each row becomes users/{followed}/followers/{follower}, created at the server's
time. A row in which an account follows itself is skipped and counted.`,
			columns: importer.FollowColumns, documents: importer.Follows,
		}),
		newImportOf(source{
			name: "posts", file: "posts.csv", example: "author=1,createdAt=3",
			short: "Write posts from a text file",
			long: `Each row becomes posts/{id} with userId and createdAt (Unix seconds or
milliseconds, or RFC 3339). A third column, id, may name the posts. Without it the
id is made of author, createdAt and line number: importing the file again doubles
nothing, as long as its lines stay where they are.`,
			columns: importer.PostColumns, documents: importer.Posts,
		}),
	)
	return cmd
}

// source is a kind of file to import.
type source struct {
	name, file, example, short, long string

	columns   func(spec string) (edgelist.Columns, error)
	documents func(file string, in io.Reader, columns edgelist.Columns, c relations.Collections) iter.Seq2[importer.Document, error]
}

// importFlags are the same for every source.
type importFlags struct {
	target  target
	columns string
	limit   int64
	json    bool

	parallel int
}

func newImportOf(s source) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   s.name + " FILE --columns " + s.example,
		Short: s.short,
		Long: s.short + `.

` + s.long + `

FILE has a row on each line, its values separated by commas or by white space; it
may be compressed by gzip, and "-" is standard input. Empty lines and lines that
start with # are passed over. --columns says which column, from 1, holds what. A
line that is no row is named on standard error and counted, and the others are
imported. What is in the database already is left as it is.` + targetHelp,
		Example: fmt.Sprintf(`  relationindex import %[1]s %[2]s.gz --columns %[3]s
  relationindex import %[1]s - --columns %[3]s --limit 1000 --json < %[2]s`, s.name, s.file, s.example),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runImport(cmd, s, f, args[0]) },
	}
	f.target.addFlag(cmd)
	cmd.Flags().StringVar(&f.columns, "columns", "", "which column holds what, such as "+s.example)
	cmd.Flags().Int64Var(&f.limit, "limit", 0, "import this many rows and stop; 0: all")
	cmd.Flags().IntVar(&f.parallel, "parallel", importer.DefaultParallel, "documents written at once, 1 to 1000")
	cmd.Flags().BoolVar(&f.json, "json", false, `print {"imported","skipped","malformed","selfFollows"}`)
	_ = cmd.MarkFlagRequired("columns") // it exists
	return cmd
}

func (f importFlags) validate() error {
	var errs []error
	if f.limit < 0 {
		errs = append(errs, fmt.Errorf("--limit %d: must not be negative", f.limit))
	}
	if f.parallel < 1 || f.parallel > 1000 {
		errs = append(errs, fmt.Errorf("--parallel %d: must be 1 to 1000", f.parallel))
	}
	return errors.Join(errs...)
}

// runImport says what it did also when it did not get to the end.
func runImport(cmd *cobra.Command, s source, f importFlags, file string) error {
	columns, err := s.columns(f.columns)
	if err := errors.Join(err, f.validate()); err != nil {
		return usageError{err}
	}
	in, err := edgelist.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	db, err := f.target.open(cmd.Context())
	if err != nil {
		return err
	}
	defer db.client.Close()
	summary, err := importAll(cmd.Context(), db, s.documents(file, in, columns, db.cfg.Collections()), f, cmd.ErrOrStderr())
	if f.json {
		err = errors.Join(err, json.NewEncoder(cmd.OutOrStdout()).Encode(summary))
	} else {
		fmt.Fprintln(cmd.OutOrStdout(), summary)
	}
	if err != nil {
		return fmt.Errorf("import %s: not finished (import the file again to go on): %w", s.name, err)
	}
	return nil
}

// importAll imports behind a progress bar, and prints the first malformed lines.
func importAll(ctx context.Context, db *database, documents iter.Seq2[importer.Document, error], f importFlags, stderr io.Writer) (importer.Summary, error) {
	total := int64(-1)
	if f.limit > 0 {
		total = f.limit
	}
	progress := console.Start("rows", total)
	defer progress.End()
	shown := 0
	summary, err := importer.Write(ctx, db.client, documents, importer.Options{
		Limit: f.limit, Parallel: f.parallel, Progress: progress.Set,
		Malformed: func(bad *edgelist.RowError) {
			if shown++; shown <= maxShown {
				progress.Above(func() { fmt.Fprintln(stderr, bad) })
			}
		},
	})
	progress.End()
	if shown > maxShown {
		fmt.Fprintf(stderr, "%d more malformed lines are not shown\n", shown-maxShown)
	}
	return summary, err
}
