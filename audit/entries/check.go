// Package entries checks timelines against posts and follows, and repairs them. It walks the readers, with their
// documents and edges, in the order of names. Only commands and tests use it. No function links it.
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

// Problem describes an error in a document of a timeline.
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

// Checked counts the documents that Check and Repair read, and their results.
type Checked struct {
	Timelines  int64 `json:"timelines"`
	Documents  int64 `json:"documents"`
	Entries    int64 `json:"entries"`
	Problems   int64 `json:"problems"`
	Posts      int64 `json:"posts"`             // that Repair has brought to readers
	Unrepaired int64 `json:"unrepaired"`        // readers with a timeline that Repair could not mend
	Left       int64 `json:"left"`              // documents, entries and rings that KeepOthers left
	Skipped    int64 `json:"skipped,omitempty"` // documents passed to Options.Skipped
}

// Options configures Check and Repair. The zero value checks all posts that the comments of Check and Repair name.
type Options struct {
	// Posts is the number of posts checked for each reader: the newest by createdAt, among the posts of followed
	// accounts, the posts that name the reader, and the reader's own. A cap limits the number too. Check reports
	// missing posts among these. Repair brings all of these, even posts older than the follow, and no older ones: use
	// it when timelines are turned on over existing data. At most MaxPosts; 0: all.
	Posts int
	// KeepOthers makes Repair keep and count what other options would keep: documents of another layout; entries of
	// posts for an audience that the reader has left; entries of the reader's own posts; entries without a post, until
	// an entry with a post is found; and entries that only a larger cap would keep. Check reports these as well. false:
	// Repair deletes them.
	KeepOthers bool
	// Only limits the call to the timeline of one account, and to lifting that account's posts. "": all.
	Only string
	// Memory remembers posts of audiences from one call to the next. It saves reads, but misses posts written since.
	// nil: each call has its own.
	Memory *Memory

	Report   func(Problem)         // gets each problem; nil: not called
	Skipped  func(strange.Skipped) // gets skipped readers and posts, with the reason; nil: not called
	Progress func(documents int64) // gets the number of documents read; nil: not called
}

// Memory holds posts of audiences for calls with the same [Options.Memory]. The zero value is empty. Use it in one call
// at a time.
type Memory struct{ newest memory[[]duePost] }

// MaxPosts is the most posts that [Options] may name.
const MaxPosts = 1000

// Check reads all timelines, all follows and all posts. It reports each entry that disagrees with its post, is
// duplicate or is missing, and each document that is inconsistent in itself. It changes nothing. No event or job may be
// under way.
//
// An entry is missing if no newer entry has pushed it out, and its post names the reader, or has a createdAt later than
// the follow, less [schema.MaxAhead]. If the reader has written settings since the post was made, a fan-out may have
// skipped the post. Check then reports the entry only if a rebuild has certainly brought it. Check reads the newest
// 1,000 posts of each audience, the newest 1,000 that name the reader, and the newest 1,000 of the reader's own, if
// authors see these. Of all these, it checks the newest 50,000. It does not report older posts as missing, and Repair
// does not bring them.
//
// With settings, it also reports posts that a reader hides, if no document tells fan-outs so.
//
// It costs a read for each document, follow, post and entry. With settings, it costs up to two for each post that a
// reader hides. It costs one for each of the newest posts of a reader's audiences, and one for each of the reader's own
// posts. Each person named in a post costs one or two. For a reader with missing posts that fan-outs may have skipped,
// it also costs the reads of a rebuild. Check remembers up to 100,000 posts of audiences, and as many people. When
// there are more, it forgets all, and reads them again. It also holds one timeline at a time, and up to 100,000 posts
// for its reader.
func Check(ctx context.Context, x *timelines.Delivery, o Options) (Checked, error) {
	return run(ctx, x, o, false)
}

// Repair mends what [Check] reports. It also brings posts that Check does not report because a fan-out may have skipped
// them, and the posts that a backfill brings. It lifts the posts that comments have lifted, which Check does not check.
// It gives rings made for another configuration the configured size. It deletes documents of another layout, and brings
// their posts in the configured one. It leaves an app's own documents alone.
//
// If a ring is too large for one transaction, or a document is damaged, keeps changing or is rejected, Repair reports
// and counts the timeline, and goes on with the next reader.
//
// Functions may run meanwhile; then Repair may report entries that they are about to write. It costs the reads of
// Check, and another read for each entry and document of a wrong timeline. After a crash, call it again for the rest.
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
	left     map[string]bool    // what KeepOthers left of the current reader
	newest   *memory[[]duePost] // by audience
	people   memory[bool]       // by id: people whom named has processed, or left to readers
	known    memory[bool]       // posts that hides has processed
}

func run(ctx context.Context, x *timelines.Delivery, o Options, mend bool) (checked Checked, err error) {
	c := &care{Delivery: x, Options: o, db: x.Database(), layout: x.Layout(), mend: mend, strange: strange.Names{Report: o.Skipped}}
	c.newest = &cmp.Or(o.Memory, &Memory{}).newest
	if items, ok := c.layout.(layout.Items); ok && o.KeepOthers { // bringing an item deletes items beyond the cap
		items.Cap = 0
		c.Delivery = x.With(items)
	}
	if limit := c.db.Config.Cap; limit > 0 { // more would push out the first ones
		c.Posts = min(o.Posts, limit)
	}
	defer func() { checked.Skipped = c.strange.Count() }()
	// hides comes first, because its documents mark the entries brought later. named comes before readers, because
	// bringing a post gives a timeline to people named in the post.
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
	since    time.Time // of its documents
	written  time.Time // its edge, perhaps by an import long after
}

// readers processes each reader who has a timeline or follows somebody. In the order of names, a reader's documents
// come together, and so do the edges.
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

// below returns the documents of a collection below users, or below the one account of Only, in the order of names. It
// skips readers with strange ids: Firestore sorts some of these ids as numbers.
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

// named processes readers who follow nobody, have no timeline, and are named by posts. It costs a read for each post,
// and one or two for each named person that it does not remember. Check may report a forgotten person again.
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
