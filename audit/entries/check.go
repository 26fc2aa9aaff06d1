// Package entries checks timelines against posts and follows, and repairs them. It walks the
// readers, with their documents and edges, in the order of names. It serves commands and tests
// alone. No function links it.
package entries

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

// Problem is what is wrong with a document of a timeline.
type Problem struct {
	Document string `json:"document"` // its path below the database
	Post     string `json:"post,omitempty"`
	Problem  string `json:"problem"`
}

func (p Problem) String() string {
	if p.Post == "" {
		return p.Document + ": " + p.Problem
	}
	return p.Document + ": " + p.Post + ": " + p.Problem
}

// Checked counts what Check and Repair read.
type Checked struct {
	Timelines int64 `json:"timelines"`
	Documents int64 `json:"documents"`
	Entries   int64 `json:"entries"`
	Problems  int64 `json:"problems"`
	Posts     int64 `json:"posts"` // that Repair has brought to readers
}

// Check reads all timelines, all follows and all posts. It reports each entry that is not as
// its post says, is there twice or is missing, and each document that does not agree with
// itself. It changes nothing. Nothing may be in flight.
//
// An entry is missing if its post was made after the reader was put into an index document, or
// names the reader, and nothing has pushed it out. Of each audience, Check looks at the newest
// thousand posts.
//
// It costs a read for each document, follow, post and entry, and for each audience that is not
// among the last thousand one for each of its posts. It holds one timeline at a time.
func Check(ctx context.Context, x *timelines.Delivery, report func(Problem), progress func(documents int64)) (Checked, error) {
	c := careOf(x, report, progress)
	err := c.all(ctx)
	return c.count, err
}

// RepairOptions configures Repair. The zero value brings what has to be there.
type RepairOptions struct {
	// Posts is how many of the newest posts of all whom a reader follows, and of those that name
	// them, come to the timeline even if they are older than the follow: for timelines that are
	// turned on over existing data. At most MaxPosts.
	Posts    int
	Report   func(Problem)         // gets what was wrong
	Progress func(documents int64) // gets how many documents were read; nil: not called
}

// MaxPosts is the most posts that [RepairOptions] may name.
const MaxPosts = 1000

// Repair mends what [Check] reports, and gives rings that were made for another
// configuration the configured size. Documents of another layout are deleted; what has to be
// there comes in this one. Documents of others it leaves alone.
//
// Functions may go on meanwhile; then it may report what they are about to write. It reads what
// Check reads, and costs for each entry of a wrong document another read. A crash leaves the rest:
// call it again.
func Repair(ctx context.Context, x *timelines.Delivery, o RepairOptions) (Checked, error) {
	c := careOf(x, o.Report, o.Progress)
	c.mend, c.posts = true, o.Posts
	err := c.all(ctx)
	return c.count, err
}

// care is one run of Check or Repair.
type care struct {
	*timelines.Delivery
	db       *schema.Database
	layout   layout.Layout
	report   func(Problem)
	progress func(int64)
	mend     bool
	posts    int // see RepairOptions.Posts
	count    Checked
	newest   map[string][]posts.Post // by audience
}

func careOf(x *timelines.Delivery, report func(Problem), progress func(int64)) *care {
	return &care{Delivery: x, db: x.Database(), layout: x.Layout(), report: report, progress: progress, newest: map[string][]posts.Post{}}
}

// follow is an edge of a reader.
type follow struct {
	audience string
	since    time.Time
}

func (c *care) all(ctx context.Context) error {
	err := c.readers(ctx, func(reader string, docs []layout.Document, follows []follow) error {
		return c.reader(ctx, reader, docs, follows)
	})
	if err == nil {
		err = c.named(ctx)
	}
	if err != nil {
		return fmt.Errorf("timelines: %w", err)
	}
	return nil
}

func (c *care) found(doc string, post, problem string) {
	c.count.Problems++
	_, path, _ := strings.Cut(doc, "/documents/")
	c.report(Problem{path, post, problem})
}

// readers calls visit for each reader who has a timeline or follows somebody. In the order of
// names, the documents of a reader are together, and so are the edges.
func (c *care) readers(ctx context.Context, visit func(string, []layout.Document, []follow) error) error {
	documents, stop := iter.Pull2(c.below(ctx, names.Timeline))
	defer stop()
	edges, stop := iter.Pull2(c.below(ctx, names.Following))
	defer stop()
	doc, err, more := documents()
	edge, edgeErr, moreEdges := edges()
	for more || moreEdges {
		if err = cmp.Or(err, edgeErr); err != nil {
			return err
		}
		var reader string
		switch {
		case !moreEdges:
			reader = doc.Ref.Parent.Parent.ID
		case !more:
			reader = edge.Ref.Parent.Parent.ID
		default:
			reader = min(doc.Ref.Parent.Parent.ID, edge.Ref.Parent.Parent.ID)
		}
		var docs []layout.Document
		var follows []follow
		for ; more && err == nil && doc.Ref.Parent.Parent.ID == reader; doc, err, more = documents() {
			if c.count.Documents++; c.progress != nil {
				c.progress(c.count.Documents)
			}
			docs = append(docs, layout.Read(doc))
		}
		for ; moreEdges && edgeErr == nil && edge.Ref.Parent.Parent.ID == reader; edge, edgeErr, moreEdges = edges() {
			if schema.CheckFollow(edge.Ref.ID, reader) == nil && schema.TextOf(edge, schema.FieldIndexID) != "" {
				follows = append(follows, follow{edge.Ref.ID, edge.UpdateTime})
			}
		}
		if visited := visit(reader, docs, follows); visited != nil {
			return visited
		}
	}
	return cmp.Or(err, edgeErr)
}

// below returns the documents of a collection below users, in the order of names.
func (c *care) below(ctx context.Context, collection string) iter.Seq2[*firestore.DocumentSnapshot, error] {
	return func(yield func(*firestore.DocumentSnapshot, error) bool) {
		for snap, err := range store.Documents(ctx, c.db.Client.CollectionGroup(collection).OrderBy(firestore.DocumentID, firestore.Asc)) {
			if err == nil {
				if user := snap.Ref.Parent.Parent; user == nil || user.Path != c.db.User(user.ID).Path {
					continue // an app's own collection
				}
			}
			if !yield(snap, err) || err != nil {
				return
			}
		}
	}
}

// reader checks the timeline of a reader, and mends it.
func (c *care) reader(ctx context.Context, reader string, docs []layout.Document, follows []follow) error {
	found := c.count.Problems
	if len(docs) > 0 {
		c.count.Timelines++
	}
	for n, problem := range c.layout.Check(docs) {
		c.found(docs[n].Ref.Path, "", problem)
	}
	in := map[string]string{} // ids of documents by post
	for _, doc := range docs {
		if err := c.document(ctx, doc, in); err != nil {
			return err
		}
	}
	if c.mend && c.count.Problems > found {
		if err := c.mendTimeline(ctx, reader); err != nil {
			return err
		}
	}
	due, err := c.due(ctx, reader, follows)
	if err != nil {
		return err
	}
	missing, err := c.unblocked(ctx, reader, slices.DeleteFunc(due, func(p duePost) bool {
		must := p.must && c.layout.Keeps(docs, p.Post)
		return in[p.ID] != "" || !p.asked && !must
	}))
	if err != nil {
		return err
	}
	for _, p := range missing {
		if p.must && c.layout.Keeps(docs, p.Post) {
			c.found(c.db.Timeline(reader).Path, p.ID, "is missing")
		}
	}
	if !c.mend {
		return nil
	}
	return c.bring(ctx, reader, missing)
}

// document checks a document and its entries. in gets its posts, if it is of this layout.
func (c *care) document(ctx context.Context, doc layout.Document, in map[string]string) error {
	ids := slices.Sorted(maps.Keys(doc.Entries))
	c.count.Entries += int64(len(ids))
	if !slices.Equal(ids, slices.Sorted(slices.Values(doc.Posts))) && !doc.Foreign() {
		c.found(doc.Ref.Path, "", "posts does not name its entries")
	}
	for _, account := range layout.AccountsOf(doc.Entries) {
		if !slices.Contains(doc.Named, account) {
			c.found(doc.Ref.Path, "", "accounts lacks "+account)
		}
	}
	for _, part := range store.Chunks(ids, batch) {
		want, err := c.wanted(ctx, nil, doc, part)
		if err != nil {
			return err
		}
		for _, p := range part {
			e := doc.Entries[p]
			doc := doc
			doc.Entries = map[string]layout.Entry{p: e}
			switch edits := doc.Editing(want); {
			case len(edits.Gone) > 0:
				c.found(doc.Ref.Path, p, "the post does not reach the reader, or belongs in another document")
			case len(edits.Now) > 0:
				c.found(doc.Ref.Path, p, "is not as the post says")
			case in[p] != "":
				c.found(doc.Ref.Path, p, "is in "+in[p]+" too")
			case c.layout.Writes(doc): // a repair deletes the others
				in[p] = doc.Ref.ID
			}
		}
	}
	return nil
}

// wanted reads posts, and the edges of a document's audiences. It returns what says what becomes
// of these entries.
func (c *care) wanted(ctx context.Context, tx *firestore.Transaction, doc layout.Document, ids []string) (func(layout.Entry) (layout.Entry, time.Time, bool), error) {
	var refs []*firestore.DocumentRef
	edges := map[string]bool{}
	for _, p := range ids {
		refs = append(refs, c.db.Post(p))
		if a := doc.Entries[p].Audience; schema.CheckAuthorID(a) == nil && !edges[a] && !c.KeepsOnUnfollow() {
			edges[a] = true
			refs = append(refs, c.db.Edge(a, doc.Reader()))
		}
	}
	get := c.db.Client.GetAll
	if tx != nil {
		get = func(_ context.Context, refs []*firestore.DocumentRef) ([]*firestore.DocumentSnapshot, error) {
			return tx.GetAll(refs)
		}
	}
	if len(refs) == 0 {
		return nil, nil //nolint:nilnil // no entries
	}
	snaps, err := get(ctx, refs)
	if err != nil {
		return nil, err
	}
	now, follows := map[string]*posts.Post{}, map[string]bool{}
	for _, snap := range snaps {
		if snap.Ref.Parent.ID == names.Following {
			follows[snap.Ref.ID] = schema.TextOf(snap, schema.FieldIndexID) != ""
		} else if post, err := posts.Decode(c.db.Options, snap); snap.Exists() && err == nil {
			now[snap.Ref.ID] = &post
		}
	}
	return func(e layout.Entry) (layout.Entry, time.Time, bool) {
		now, born, ok := timelines.EntryNow(e, doc.Reader(), now[e.Post])
		return now, born, ok && (e.Audience == "" || follows[e.Audience] || c.KeepsOnUnfollow())
	}, nil
}
