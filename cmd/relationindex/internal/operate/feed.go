package operate

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/spf13/cobra"

	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/feed"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// maxFeed is the longest page that the rules allow a client.
const maxFeed = 50

func newFeed(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards, Reads: true}
	var reader string
	var limit int
	var asJSON bool
	var pages pagesOptions
	cmd := &cobra.Command{
		Use:   "feed --as UID",
		Short: "Read a feed with the query that a client makes, or as the function Feed does",
		Long: `feed prints the newest posts of everyone that a user follows, newest first, with
the fields that relations copy from posts. It is one query:

  _relations where followers array-contains UID order by createdAt desc limit N

A post that names a follower of its audience has two relations. feed prints it once, and
so may print fewer than N.

With --source or --all, it reads pages as the function Feed does: from relations, and from
posts beyond RELATIONINDEX_HORIZON; with --source pull from posts alone; or with --source
timeline from the user's own documents (items, buckets or days in RELATIONINDEX_FEEDS). It
prints each post once, without fields.` + command.TargetHelp,
		Example: `  relationindex feed --as 223789
  relationindex feed --as 223789 --limit 5 --json    # one object on each line
  relationindex feed --as 223789 --source pull --all --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := schema.CheckAccountID(reader); err != nil {
				return command.Usagef("--as %q: %w", reader, err)
			}
			if limit < 1 || limit > maxFeed {
				return command.Usagef("--limit %d: must be 1 to %d, as for clients", limit, maxFeed)
			}
			if s := pages.source; s != "" && s != feed.SourceRelations && s != feed.SourcePull && s != feed.SourceTimeline {
				return command.Usagef("--source %q: must be %s, %s or %s", s, feed.SourceRelations, feed.SourcePull, feed.SourceTimeline)
			}
			return t.With(cmd.Context(), func(db *command.Database) error {
				if pages.source != "" || pages.all {
					return printPages(cmd, db, reader, limit, pages, asJSON)
				}
				entries, err := ReadFeed(cmd.Context(), db.Client, reader, limit)
				if err != nil {
					return err
				}
				return printFeed(cmd, reader, entries, asJSON)
			})
		},
	}
	t.AddFlags(cmd)
	cmd.Flags().StringVar(&reader, "as", "", "the user whose feed it is")
	cmd.Flags().IntVar(&limit, "limit", 20, "the most posts to print, 1 to 50; with --all, the most posts of a page")
	cmd.Flags().StringVar(&pages.source, "source", "", "read a page as Feed does, from relations, pull or timeline")
	cmd.Flags().BoolVar(&pages.all, "all", false, "read all pages as Feed does")
	cmd.Flags().BoolVar(&asJSON, "json", false, `print an object {"postId","userId","createdAt","fields"} on each line`)
	_ = cmd.MarkFlagRequired("as") // it exists
	return cmd
}

func printFeed(cmd *cobra.Command, reader string, entries []Entry, asJSON bool) error {
	if asJSON {
		out := json.NewEncoder(cmd.OutOrStdout())
		for _, e := range entries {
			if err := out.Encode(e); err != nil {
				return err
			}
		}
		return nil
	}
	if len(entries) == 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "nothing in the feed of %s\n", console.Line(reader))
		return nil
	}
	fields := map[string]any{} // fields that at least one post has
	for _, e := range entries {
		maps.Copy(fields, e.Fields)
	}
	names := slices.Sorted(maps.Keys(fields))
	headers := append([]string{"CREATED AT", "AUTHOR", "POST"}, names...)
	var rows [][]string
	for _, e := range entries {
		row := []string{e.CreatedAt.Format(time.RFC3339), e.UserID, e.PostID}
		for _, name := range names {
			row = append(row, e.Text(name))
		}
		rows = append(rows, row)
	}
	return console.Table(cmd.OutOrStdout(), "", headers, rows)
}

// Entry is a post in a feed.
type Entry struct {
	PostID    string         `json:"postId"`
	UserID    string         `json:"userId"` // the author
	CreatedAt time.Time      `json:"createdAt"`
	Fields    map[string]any `json:"fields,omitempty"` // the fields that the relation copied from the post
}

// ReadFeed runs the query of a client, and returns each post once.
func ReadFeed(ctx context.Context, client *firestore.Client, reader string, limit int) ([]Entry, error) {
	docs, err := feed.Query(client, reader).Limit(limit).Documents(ctx).GetAll()
	if err != nil {
		return nil, fmt.Errorf("feed of %s: %w", reader, err)
	}
	var entries []Entry
	seen := map[string]bool{}
	for _, doc := range docs {
		var r schema.Relation
		if err := doc.DataTo(&r); err != nil {
			return nil, fmt.Errorf("relation %s: %w", doc.Ref.Path, err)
		}
		if seen[r.PostID] {
			continue
		}
		seen[r.PostID] = true
		data, fields := map[string]any{}, map[string]any{}
		if err := doc.DataTo(&data); err != nil {
			return nil, fmt.Errorf("relation %s: %w", doc.Ref.Path, err)
		}
		for name, value := range data {
			if ref, ok := value.(*firestore.DocumentRef); ok && ref != nil {
				value = ref.Path // JSON can show a path
			}
			if !names.RelationField(name) {
				fields[name] = value
			}
		}
		entries = append(entries, Entry{PostID: r.PostID, UserID: r.UserID, CreatedAt: r.CreatedAt, Fields: fields})
	}
	return entries, nil
}

// Text returns a field as a table shows it.
func (e Entry) Text(name string) string {
	switch v := e.Fields[name].(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		text, err := json.Marshal(v)
		if err != nil {
			return err.Error()
		}
		return string(text)
	}
}
