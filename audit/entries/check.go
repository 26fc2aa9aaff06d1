// Package entries checks timelines against posts and follows, and repairs them. It walks the
// readers, with their documents and edges, in the order of names. It serves commands and tests
// alone. No function links it.
package entries

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/strange"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/posts"
	"example.com/relationindex/readers"
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
	Timelines  int64 `json:"timelines"`
	Documents  int64 `json:"documents"`
	Entries    int64 `json:"entries"`
	Problems   int64 `json:"problems"`
	Posts      int64 `json:"posts"`             // that Repair has brought to readers
	Unrepaired int64 `json:"unrepaired"`        // readers whose timeline Repair could not mend
	Left       int64 `json:"left"`              // documents, entries and rings that KeepOthers left
	Skipped    int64 `json:"skipped,omitempty"` // documents that Options.Skipped gets
}

// Options configures Check and Repair. The zero value looks at all posts that their comments
// name.
type Options struct {
	// Posts is how many of the posts that reach a reader are looked at: the newest by createdAt,
	// of all whom they follow, of those that name them and of their own together. With a cap, no
	// more than that. Check reports those that have to be there and are not. Repair brings all of
	// them, even if they are older than the follow, and none that is older: for timelines that
	// are turned on over existing data. At most MaxPosts; 0: all.
	Posts int
	// KeepOthers has Repair leave what other options would keep, and count it: documents of another
	// layout; entries of posts whose audience the reader has left, and the reader's own; entries whose
	// posts are gone, until one is found whose post is there; and what a larger cap has. Check reports
	// these as well. false: Repair deletes them.
	KeepOthers bool
	// Only names an account: then nobody else's timeline is looked at, and no posts but the account's are
	// lifted. "": all.
	Only string
	// Memory remembers posts of audiences from one call to the next, which costs fewer reads and finds
	// nothing of posts that came since; nil: each call has its own.
	Memory *Memory

	Report   func(Problem)         // gets what is wrong; nil: not called
	Skipped  func(strange.Skipped) // gets readers and posts that are left out, and why; nil: not called
	Progress func(documents int64) // gets how many documents were read; nil: not called
}

// Memory is what calls with the same [Options.Memory] remember of audiences' posts. The zero value is
// empty. It is for one call at a time.
type Memory struct{ newest memory[[]duePost] }

// MaxPosts is the most posts that [Options] may name.
const MaxPosts = 1000

// Check reads all timelines, all follows and all posts. It reports each entry that is not as
// its post says, is there twice or is missing, and each document that does not agree with
// itself. It changes nothing. Nothing may be in flight.
//
// An entry is missing if the createdAt of its post is later than the follow, less [schema.MaxAhead], or
// the post names the reader, and nothing has pushed it out. If the reader has written settings since the post
// was made, a fan-out may have left it out: then it is reported if a rebuild has certainly brought it.
// Check looks at the newest 1,000 posts of each audience, at the newest 1,000 that name the reader, at the
// newest 1,000 of their own, if authors see these, and at the newest 50,000 of all these. It does not
// report older ones as missing, and Repair does not bring them.
//
// With settings, it also reports posts that readers hide, of which fan-outs do not know.
//
// It costs a read for each document, follow, post and entry; with settings up to two for each post that
// a reader hides; for each audience of a reader one for each of its newest posts, one for each of their own, and for each person whom a post names one or two; for a reader who may have
// been left out, and lacks posts, also what a rebuild reads. It remembers up to 100,000 posts of
// audiences, and as many people. When there are more, it forgets all, and reads them again. Beside
// these, it holds one timeline at a time, and up to 100,000 posts for its reader.
func Check(ctx context.Context, x *timelines.Delivery, o Options) (Checked, error) {
	return run(ctx, x, o, false)
}

// Repair mends what [Check] reports, brings also what Check does not report since a fan-out may have
// left it out, and what a backfill brings, lifts what comments have lifted, which Check
// does not look at, and gives rings that were made for another configuration the configured size. Documents of another layout are deleted; what has to be
// there comes in this one. Documents of others it leaves alone.
//
// It reports and counts a timeline that it cannot mend, and goes on with the next reader: if a
// ring is too large for one transaction, or a document is damaged, keeps changing or is rejected.
//
// Functions may go on meanwhile; then it may report what they are about to write. It reads what
// Check reads, and costs for each entry and document of a wrong timeline another read. A crash leaves the
// rest:
// call it again.
func Repair(ctx context.Context, x *timelines.Delivery, o Options) (Checked, error) {
	return run(ctx, x, o, true)
}

// care is one run of Check or Repair.
type care struct {
	*timelines.Delivery
	Options
	db       *schema.Database
	layout   layout.Layout
	mend     bool
	count    Checked
	hasPosts bool // an entry's post was there
	strange  strange.Names
	left     map[string]bool    // what KeepOthers left of the reader at hand
	newest   *memory[[]duePost] // by audience
	people   memory[bool]       // by id: those whom named has cared for, or left to readers
	known    memory[bool]       // posts that hides has cared for
}

func run(ctx context.Context, x *timelines.Delivery, o Options, mend bool) (checked Checked, err error) {
	c := &care{Delivery: x, Options: o, db: x.Database(), layout: x.Layout(), mend: mend, strange: strange.Names{Report: o.Skipped}}
	c.newest = &cmp.Or(o.Memory, &Memory{}).newest
	if items, ok := c.layout.(layout.Items); ok && o.KeepOthers { // who brings one deletes what is beyond the cap
		items.Cap = 0
		c.Delivery = x.With(items)
	}
	if limit := c.db.Config.Cap; limit > 0 { // more would push out those that came first
		c.Posts = min(o.Posts, limit)
	}
	defer func() { checked.Skipped = c.strange.Count() }()
	// hides comes first: what is brought later is marked by it. Then named: bringing a post gives a timeline to all whom it
	// names.
	for _, walk := range []func(context.Context) error{c.hides, c.named, c.readers} {
		if err := walk(ctx); err != nil {
			return c.count, fmt.Errorf("timelines: %w", err)
		}
	}
	return c.count, nil
}

func (c *care) progress() {
	if c.Progress != nil {
		c.Progress(c.count.Documents)
	}
}

func (c *care) found(doc string, post, problem string) {
	c.count.Problems++
	_, path, _ := strings.Cut(doc, "/documents/")
	if c.Report != nil {
		c.Report(Problem{path, post, problem})
	}
}

// follow is an edge of a reader.
type follow struct {
	audience string
	since    time.Time // by its documents
	written  time.Time // its edge, perhaps by an import long after
}

// readers cares for each reader who has a timeline or follows somebody. In the order of names, the
// documents of a reader are together, and so are the edges.
func (c *care) readers(ctx context.Context) error {
	documents, stop := iter.Pull2(c.below(ctx, names.Timeline))
	defer stop()
	edges, stop := iter.Pull2(c.below(ctx, names.Following))
	defer stop()
	doc, err, more := documents()
	edge, edgeErr, moreEdges := edges()
	if c.Only != "" && !more && !moreEdges { // perhaps posts name the account
		return c.reader(ctx, c.Only, nil, nil)
	}
	for more || moreEdges {
		if err = cmp.Or(err, edgeErr); err != nil {
			return err
		}
		var reader string
		if more {
			reader = doc.Ref.Parent.Parent.ID
		}
		if moreEdges && (!more || edge.Ref.Parent.Parent.ID < reader) {
			reader = edge.Ref.Parent.Parent.ID
		}
		var docs []layout.Document
		var follows []follow
		for ; more && err == nil && doc.Ref.Parent.Parent.ID == reader; doc, err, more = documents() {
			c.count.Documents++
			c.progress()
			docs = append(docs, layout.Read(doc))
		}
		for ; moreEdges && edgeErr == nil && edge.Ref.Parent.Parent.ID == reader; edge, edgeErr, moreEdges = edges() {
			if schema.CheckFollow(edge.Ref.ID, reader) == nil && schema.TextOf(edge, schema.FieldIndexID) != "" {
				follows = append(follows, follow{edge.Ref.ID, readers.FollowedAt(edge), edge.UpdateTime})
			}
		}
		if failed := c.reader(ctx, reader, docs, follows); failed != nil {
			return failed
		}
	}
	return cmp.Or(err, edgeErr)
}

// below returns the documents of a collection below users, or below the only one, in the order of names, but
// for those of readers with strange ids. Some of these Firestore sorts as numbers.
func (c *care) below(ctx context.Context, collection string) iter.Seq2[*firestore.DocumentSnapshot, error] {
	q := c.db.Client.CollectionGroup(collection).Query
	if c.Only != "" {
		q = c.db.User(c.Only).Collection(collection).Query
	}
	return func(yield func(*firestore.DocumentSnapshot, error) bool) {
		for snap, err := range store.Documents(ctx, q.OrderBy(firestore.DocumentID, firestore.Asc)) {
			if err == nil {
				if user := snap.Ref.Parent.Parent; user == nil || user.Path != c.db.User(user.ID).Path {
					continue // an app's own collection
				} else if c.strange.Add(user, schema.CheckAccountID(user.ID)) {
					continue
				}
			}
			if !yield(snap, err) || err != nil {
				return
			}
		}
	}
}

// named cares for readers who follow nobody, have no timeline, and are named by posts. It costs a
// read for each post, and for each person whom a post names one or two, unless it remembers them.
// Check may report somebody again whom it has forgotten.
func (c *care) named(ctx context.Context) error {
	q := c.db.Client.Collection(c.db.Config.Collections().Posts).Query
	if c.Only != "" {
		if !c.mend || !c.Lifting() {
			return nil
		}
		q = q.Where(schema.FieldUserID, "==", c.Only)
	}
	for snap, err := range store.Documents(ctx, q.Select(names.PostFields()...)) {
		if err != nil {
			return err
		}
		post, err := posts.Decode(c.db.Config, snap)
		if c.strange.Add(snap.Ref, cmp.Or(err, post.Bad)); err != nil {
			continue // the event's handler has reported it
		}
		if err := c.lift(ctx, post.ID); theirs(err) {
			c.count.Unrepaired++
			c.found(snap.Ref.Path, "", fmt.Sprintf("its entries are not lifted: %v. After that, run repair-timelines again", err))
		} else if err != nil {
			return err
		}
		for _, reader := range post.Recipients {
			if c.Only != "" || c.people.values[reader] {
				continue
			}
			c.people.keep(reader, true, 1)
			some, err := c.has(ctx, c.db.Timeline(reader).Query, c.db.User(reader).Collection(names.Following).Query)
			if err == nil && !some {
				err = c.reader(ctx, reader, nil, nil)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// has reports whether one of the queries finds a document.
func (c *care) has(ctx context.Context, queries ...firestore.Query) (bool, error) {
	for _, q := range queries {
		docs, err := q.Select().Limit(1).Documents(ctx).GetAll()
		if err != nil || len(docs) > 0 {
			return err == nil, err
		}
	}
	return false, nil
}
