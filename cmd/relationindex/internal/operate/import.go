package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path"
	"runtime/debug"
	"time"

	"example.com/relationindex/cmd/relationindex/internal/files/rows"

	"github.com/spf13/cobra"

	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/cmd/relationindex/internal/files"
	"example.com/relationindex/cmd/relationindex/internal/files/gcs"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/configured"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/internal/peak"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// maxShown is how many skipped lines are printed. All skipped lines are counted.
const maxShown = 20

func newImport(guards command.Guards) *cobra.Command {
	cmd := command.Group(&cobra.Command{
		Use:                   "import follows|posts FILE",
		DisableFlagsInUseLine: true,
		Short:                 "Write follows or posts from a text file, as clients would",
		Example: `  relationindex import follows graph.txt.gz --columns follower=1,followed=2
  relationindex import posts posts.csv --columns author=1,createdAt=3
  relationindex import posts gs://bucket/posts/ --columns author=1,createdAt=3`,
	}, "'import follows FILE' or 'import posts FILE'")
	cmd.AddCommand(
		newImportOf(guards, source{
			name: "follows", file: "graph.txt", example: "follower=1,followed=2",
			short: "Write follow documents from a text file",
			long: `Each row becomes users/{followed}/followers/{follower}, created at the server's
time, or at the time in a third column, createdAt (see 'import posts'). The command skips
and counts a row in which an account follows itself.

With --direct, the command also writes the index: index documents, edges, and relations
of the existing posts, many follows in one transaction. Use --direct for a graph that
exists already, before you deploy the triggers. Import posts before the follows, or at
any time after the deployment: triggers find nothing left to do. You may interrupt or kill
the command: until it has run again to its end, the index has followers without follower
documents. Follower documents get this machine's time, so --direct allows no column
createdAt.`,
			kind: files.Follows, direct: true,
			says: func(d files.Document) string {
				return d.Row.Get("follower") + " follows " + d.Row.Get("followed") + atTime(d)
			},
		}),
		newImportOf(guards, source{
			name: "posts", file: "posts.csv", example: "author=1,createdAt=3",
			short: "Write posts from a text file",
			long: `Each row becomes a document posts/{id}. Its fields are userId, createdAt (Unix seconds
or milliseconds, or RFC 3339), audience (the author, so the post is for their followers)
and hidden (false). Further columns may be id, audience (the author, a group, or empty
for no followers) and hidden (true or false). Without a column id, the command makes the
id from author, createdAt and line number; if FILE means several objects, also from the
object's name. So importing FILE again in the same way adds no post twice, as long as
each line keeps its number.`,
			kind: files.Posts,
			says: func(d files.Document) string {
				return "post " + path.Base(d.Path) + " by " + d.Row.Get("author") + atTime(d)
			},
		}),
	)
	return cmd
}

// source is a kind of file to import.
type source struct {
	name, file, example, short, long string

	kind   func(names.Collections) files.Kind
	direct bool                        // has --direct
	says   func(files.Document) string // returns a row as text, for a person
}

// importFlags are the same for every source.
type importFlags struct {
	target  command.Target
	columns string
	limit   int64
	json    bool

	direct   bool
	parallel int
}

func newImportOf(guards command.Guards, s source) *cobra.Command {
	f := importFlags{target: command.Target{Guards: guards, Bulk: true, Brings: s.direct}}
	cmd := &cobra.Command{
		Use:   s.name + " FILE --columns " + s.example,
		Short: s.short,
		Long: s.short + `.

` + s.long + `

FILE has a row on each line, with values separated by commas or white space. FILE may be
compressed by gzip; "-" is standard input. --columns gives the number of each column,
from 1. The command ignores empty lines, lines that start with #, and a first line with
exactly the names that --columns has, in their columns. A first line with other names is
a row: the command prints on standard error how it read the first row. It also prints and
counts malformed lines, and imports the other lines. The command leaves existing documents
as they are, and counts them: after an interruption, run it again. It prints an existing
post without userId or createdAt like a malformed line. The command exits with 1 if it
skips most lines, or finds no row. It writes 500 rows a second to a real database at first, and half as many
more each five minutes, as Firestore asks for new collections. A million rows take at
least 18 minutes, ten million 43.

FILE may be an object of Cloud Storage, gs://bucket/graph.csv.gz, or all objects of a
prefix: gs://bucket/folder/ or gs://bucket/folder/part*. The command reads these objects
one after another, in the order of their names, as they are stored, and never copies
them to this machine. If a connection breaks, the command opens it again at the same
byte; nine tries without a byte between them end the import. The import also ends if an
object changes during the read. The command checks the size and CRC32C of each object at
its end. The application default credentials need the role roles/storage.objectViewer on
the bucket; the command requests read access only. The command reads the real bucket
even while FIRESTORE_EMULATOR_HOST is set, unless STORAGE_EMULATOR_HOST names another
server.` + command.TargetHelp,
		Example: fmt.Sprintf(`  relationindex import %[1]s %[2]s.gz --columns %[3]s
  relationindex import %[1]s gs://bucket/%[2]s.gz --columns %[3]s
  relationindex import %[1]s - --columns %[3]s --limit 1000 --json < %[2]s`, s.name, s.file, s.example),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runImport(cmd, s, f, args[0]) },
	}
	f.target.AddFlags(cmd)
	cmd.Flags().StringVar(&f.columns, "columns", "", "the number of each column, such as "+s.example)
	cmd.Flags().Int64Var(&f.limit, "limit", 0, "import this many rows and stop; 0: all")
	atOnce, object := "documents written at once, 1 to 1000", `print {"imported","skipped","malformed","selfFollows","others","found"}, the last two only if not 0`
	if s.direct {
		cmd.Flags().BoolVar(&f.direct, "direct", false, "write the index too, in bulk, for a graph that exists already")
		atOnce += fmt.Sprintf("; with --direct groups of authors, default %d", files.DefaultDirectParallel)
		object += `, with --direct "edgesPerSecond" and "peakMemoryBytes" too`
	}
	cmd.Flags().IntVar(&f.parallel, "parallel", files.DefaultParallel, atOnce)
	cmd.Flags().BoolVar(&f.json, "json", false, object)
	_ = cmd.MarkFlagRequired("columns") // it exists
	return cmd
}

// runImport imports a file, and prints the summary even after an error.
func runImport(cmd *cobra.Command, s source, f importFlags, file string) error {
	columns, err := s.kind(names.Collections{}).Columns(f.columns)
	if f.limit < 0 {
		err = errors.Join(err, fmt.Errorf("--limit %d: must not be negative", f.limit))
	}
	if f.parallel < 1 || f.parallel > 1000 {
		err = errors.Join(err, fmt.Errorf("--parallel %d: must be 1 to 1000", f.parallel))
	}
	if gcs.IsName(file) {
		_, wrong := gcs.Parse(file)
		err = errors.Join(err, wrong)
	}
	if f.direct && columns.Has("createdAt") {
		err = errors.Join(err, errors.New("--direct: follows get this machine's time; leave createdAt out of --columns"))
	}
	if err != nil {
		return command.Usage(err)
	}
	in, err := files.Open(cmd.Context(), file)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	f.target.Brings = f.direct // without --direct, functions bring posts, and they heed the brake
	if f.direct && !cmd.Flags().Changed("parallel") {
		f.parallel = files.DefaultDirectParallel
	}
	return f.target.With(cmd.Context(), func(db *command.Database) error {
		began := time.Now()
		documents := s.kind(db.Config.Collections()).Documents(in.Rows(cmd.Context(), columns))
		summary, err := importAll(cmd.Context(), db, in, documents, s.says, f, cmd.ErrOrStderr())
		var done any = summary
		if f.direct {
			done = directSummary{summary, float64(summary.Imported) / time.Since(began).Seconds(), peak.Memory(os.Getpid())}
		}
		if f.json {
			err = errors.Join(err, json.NewEncoder(cmd.OutOrStdout()).Encode(done))
		} else {
			fmt.Fprintln(cmd.OutOrStdout(), done)
		}
		if err != nil {
			return fmt.Errorf("import %s: not finished (import the file again to go on): %w", s.name, err)
		}
		return doubtful(summary, s.name, file, f.columns)
	})
}

// doubtful returns an error if a finished import found no rows, or skipped most of them.
func doubtful(s files.Imported, name, file, columns string) error {
	there := s.Imported + s.Found
	switch rows := there + s.Skipped; {
	case rows == 0:
		return fmt.Errorf("import %s: %s contains no rows", name, file)
	case s.Malformed == rows:
		return fmt.Errorf("import %s: no line is a valid row: check --columns %s", name, columns)
	case 2*s.Others > rows:
		return fmt.Errorf("import %s: %s existing %s with these ids lack %s or %s: run relationindex survey to see the fields of your documents", name, console.Grouped(s.Others), name, schema.FieldUserID, schema.FieldCreatedAt)
	case s.Skipped > there:
		return fmt.Errorf("import %s: most rows were skipped, %d of %d", name, s.Skipped, rows)
	}
	return nil
}

// directMemory is the soft memory limit of a direct import, in bytes. Near this limit, garbage is
// collected more often. Memory in use peaks at less than half of this limit.
const directMemory = 160 << 20

// directSummary is the summary of import --direct.
type directSummary struct {
	files.Imported
	EdgesPerSecond  float64 `json:"edgesPerSecond"`  // imported rows, with the follows that were there before
	PeakMemoryBytes int64   `json:"peakMemoryBytes"` // of this process; see peak.Memory
}

func (s directSummary) String() string {
	return fmt.Sprintf("%v\n%.0f edges/s, peak memory %d MiB", s.Imported, s.EdgesPerSecond, s.PeakMemoryBytes>>20)
}

// atTime returns the creation time in a document as text. It returns "" if the server sets the time.
func atTime(d files.Document) string {
	if at, ok := d.Data[schema.FieldCreatedAt].(time.Time); ok {
		return " at " + at.UTC().Format(time.RFC3339Nano)
	}
	return ""
}

// telling yields documents. Before the first document, it calls tell with that document.
func telling(documents iter.Seq2[files.Document, error], tell func(files.Document)) iter.Seq2[files.Document, error] {
	return func(yield func(files.Document, error) bool) {
		told := false
		for d, err := range documents {
			if err == nil && !told {
				tell(d)
				told = true
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// importAll imports documents with a progress bar. It prints the first row, and the first skipped lines.
func importAll(ctx context.Context, db *command.Database, in *files.Source, documents iter.Seq2[files.Document, error], says func(files.Document) string, f importFlags, stderr io.Writer) (files.Imported, error) {
	total := int64(-1)
	if f.limit > 0 {
		total = f.limit
	}
	progress := console.Start("rows", total)
	defer progress.End()
	in.Tell = progress.Describe
	shown := 0
	options := files.ImportOptions{
		Limit: f.limit, Parallel: f.parallel, Ramp: db.Real, Progress: progress.Set,
		Malformed: func(bad *rows.RowError) {
			if shown++; shown <= maxShown {
				progress.Above(func() { fmt.Fprintln(stderr, console.Printable(bad.Error())) })
			}
		},
	}
	documents = telling(documents, func(d files.Document) {
		progress.Above(func() { fmt.Fprintln(stderr, console.Printable("first row: "+says(d))) })
	})
	summary, err := write(ctx, db, documents, f.direct, options)
	progress.End()
	if shown > maxShown {
		fmt.Fprintf(stderr, "%d more skipped lines are not shown\n", shown-maxShown)
	}
	return summary, err
}

func write(ctx context.Context, db *command.Database, documents iter.Seq2[files.Document, error], direct bool, o files.ImportOptions) (files.Imported, error) {
	if !direct {
		return files.Import(ctx, db.Client, documents, o)
	}
	index, err := db.Index(ctx)
	if err == nil {
		err = command.NeedsRelations(index)
	}
	if err != nil {
		return files.Imported{}, err
	}
	if index.Timelines != nil { // no event brings posts to timelines
		if err := configured.Lack(ctx, db.Client, config.Timelines, "follows were imported with --direct"); err != nil {
			return files.Imported{}, err
		}
	}
	debug.SetMemoryLimit(directMemory)
	return files.Direct(ctx, index, documents, o)
}
