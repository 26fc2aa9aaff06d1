package entries

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

const (
	batch   = 100 // entries that are read together
	brought = 25  // posts that a transaction brings to a reader
)

// mendTimeline corrects and removes entries, and then what buckets say of themselves. Documents
// of another layout go.
//
// Each transaction reads the posts and the edges, and writes a document as it was read. A crash
// leaves the others.
func (c *care) mendTimeline(ctx context.Context, reader string) error {
	return work.UntilSettled(ctx, func() (stale int, err error) {
		seen := map[string]*firestore.DocumentRef{}
		for snap, err := range store.Documents(ctx, c.db.Timeline(reader).OrderBy(firestore.DocumentID, firestore.Asc)) {
			if err != nil {
				return stale, err
			}
			doc := layout.Read(snap)
			switch {
			case doc.Foreign():
			case c.layout.Writes(doc):
				err = c.mendDocument(ctx, doc, seen)
			default:
				err = store.DeleteAsListed(ctx, snap)
			}
			if store.IsStale(err) {
				stale++
			} else if err != nil {
				return stale, err
			}
		}
		if stale == 0 {
			err = c.layout.Rebuild(ctx, c.db, reader)
		}
		if store.IsStale(err) {
			return 1, nil
		}
		return stale, err
	})
}

// mendDocument makes a document's entries what the posts say, without those that are in another
// document too, by seen. It adds the others to seen.
//
// The documents were not listed at once: an entry that was seen in open may have moved to this one
// since. So the transaction reads whether the other document still has it.
func (c *care) mendDocument(ctx context.Context, doc layout.Document, seen map[string]*firestore.DocumentRef) error {
	ids := slices.Sorted(maps.Keys(doc.Entries))
	var edits layout.Edits
	err := c.db.Client.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) error {
		edits = layout.Edits{Now: map[string]layout.Entry{}}
		twice, err := inOthers(tx, ids, seen)
		if err != nil {
			return err
		}
		for _, part := range store.Chunks(ids, batch) {
			want, err := c.wanted(ctx, tx, doc, part)
			if err != nil {
				return err
			}
			some := doc
			some.Entries = map[string]layout.Entry{}
			for _, p := range part {
				some.Entries[p] = doc.Entries[p]
			}
			now := some.Editing(func(e layout.Entry) (layout.Entry, time.Time, bool) {
				now, born, ok := want(e)
				return now, born, ok && !twice[e.Post]
			})
			edits.Gone = append(edits.Gone, now.Gone...)
			maps.Copy(edits.Now, now.Now)
		}
		edits.Mend = !slices.Equal(ids, slices.Sorted(slices.Values(doc.Posts))) ||
			!slices.Equal(slices.Sorted(slices.Values(doc.Named)), layout.AccountsOf(doc.Entries))
		if edits.Empty() {
			return nil
		}
		return layout.Change(c.db, tx, []layout.Changed{{Document: doc, Edits: edits}})
	})
	if err != nil {
		return err
	}
	for _, p := range ids {
		if !slices.Contains(edits.Gone, p) {
			seen[p] = doc.Ref
		}
	}
	return nil
}

// inOthers returns which of these posts have an entry in the document where they were seen.
func inOthers(tx *firestore.Transaction, ids []string, seen map[string]*firestore.DocumentRef) (map[string]bool, error) {
	others := map[string]*firestore.DocumentRef{}
	for _, p := range ids {
		if ref := seen[p]; ref != nil {
			others[ref.Path] = ref
		}
	}
	twice := map[string]bool{}
	for _, ref := range others {
		snap, err := store.GetMaybe(tx, ref)
		if err != nil {
			return nil, err
		}
		for p := range layout.Read(snap).Entries {
			twice[p] = seen[p] != nil
		}
	}
	return twice, nil
}

// duePost is a post that a timeline should have.
type duePost struct {
	posts.Post
	audience string // "": the post names the reader
	must     bool   // it came to the reader, unless something has pushed it out
	asked    bool   // see RepairOptions.Posts
}

// due returns the posts that reach a reader, oldest first: the newest MaxPosts of each audience
// and of those that name the reader.
func (c *care) due(ctx context.Context, reader string, follows []follow) (all []duePost, err error) {
	for _, f := range follows {
		newest, err := c.newestOf(ctx, f.audience)
		if err != nil {
			return nil, err
		}
		for _, p := range newest {
			all = append(all, duePost{Post: p, audience: f.audience, must: p.Created.After(f.since)})
		}
	}
	if c.db.Options.OwnPosts {
		own, err := c.newestOf(ctx, reader)
		if err != nil {
			return nil, err
		}
		for _, p := range own {
			all = append(all, duePost{Post: p, must: true})
		}
	}
	q := c.db.Client.Collection(c.db.Options.Collections.Posts).Where(schema.FieldTo, "array-contains", reader).
		OrderBy(schema.FieldCreatedAt, firestore.Desc).Select(names.PostFields()...).Limit(MaxPosts)
	for snap, err := range store.Documents(ctx, q) {
		if err != nil {
			return nil, err
		}
		if post, err := posts.Decode(c.db.Options, snap); err == nil && slices.Contains(post.Recipients, reader) {
			all = append(all, duePost{Post: post, must: true})
		}
	}
	// A post that names a follower is there twice: the first says that it names the reader.
	slices.SortFunc(all, func(a, b duePost) int {
		return cmp.Or(a.CreatedAt().Compare(b.CreatedAt()), cmp.Compare(a.ID, b.ID), cmp.Compare(a.audience, b.audience))
	})
	all = slices.DeleteFunc(all, func(p duePost) bool { return len(p.ID) > timelines.MaxPostBytes })
	all = slices.CompactFunc(all, func(a, b duePost) bool { return a.ID == b.ID })
	for n := max(0, len(all)-c.posts); n < len(all); n++ {
		all[n].asked = true
	}
	return all, nil
}

// newestOf returns the newest posts of an audience, which many readers follow.
func (c *care) newestOf(ctx context.Context, audience string) ([]posts.Post, error) {
	if newest, ok := c.newest[audience]; ok {
		return newest, nil
	}
	newest, err := posts.Newest(ctx, nil, c.db, audience, MaxPosts)
	if err != nil {
		return nil, err
	}
	if len(c.newest) >= rememberedAudiences {
		clear(c.newest)
	}
	c.newest[audience] = newest
	return newest, nil
}

// rememberedAudiences bounds the memory of a run.
const rememberedAudiences = 1000

// unblocked leaves out posts that name a reader who blocks their author.
func (c *care) unblocked(ctx context.Context, reader string, due []duePost) ([]duePost, error) {
	var refs []*firestore.DocumentRef
	for _, p := range due {
		refs = append(refs, c.db.Block(reader, p.Author))
	}
	if len(refs) == 0 {
		return due, nil
	}
	blocks, err := c.db.Client.GetAll(ctx, refs)
	if err != nil {
		return nil, err
	}
	var left []duePost
	for n, p := range due {
		if p.audience != "" || p.Author == reader || !blocks[n].Exists() {
			left = append(left, p)
		}
	}
	return left, nil
}

// bring brings posts to a reader, oldest first. What is there stays where it is.
//
// A crash leaves the newest posts missing.
func (c *care) bring(ctx context.Context, reader string, due []duePost) error {
	for len(due) > 0 {
		run := 1
		for run < min(len(due), brought) && due[run].audience == due[0].audience {
			run++
		}
		err := work.UntilSettled(ctx, func() (int, error) {
			var ids []string
			for _, p := range due[:run] {
				if ids = append(ids, p.ID); p.audience == "" {
					if err := c.BringNamed(ctx, p.ID); err != nil {
						return 0, err
					}
				}
			}
			if due[0].audience == "" {
				return 0, nil
			}
			return 0, c.Bring(ctx, due[0].audience, reader, ids)
		})
		if err != nil {
			return err
		}
		c.count.Posts += int64(run)
		due = due[run:]
	}
	return nil
}

// named cares for readers who follow nobody, have no timeline, and are named by posts.
func (c *care) named(ctx context.Context) error {
	cared := map[string]bool{} // those whose posts are missing
	q := c.db.Client.Collection(c.db.Options.Collections.Posts).Select(names.PostFields()...)
	for snap, err := range store.Documents(ctx, q) {
		if err != nil {
			return err
		}
		post, err := posts.Decode(c.db.Options, snap)
		if err != nil {
			continue // the event's handler has reported it
		}
		for _, reader := range post.Recipients {
			if cared[reader] {
				continue
			}
			some, err := c.has(ctx, c.db.Timeline(reader).Query, c.db.User(reader).Collection(names.Following).Query)
			if err != nil {
				return err
			}
			if some {
				continue
			}
			cared[reader] = true
			if err := c.reader(ctx, reader, nil, nil); err != nil {
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
