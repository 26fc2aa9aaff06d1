package entries

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/posts"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/timelines/layout"
)

// reader checks the timeline of a reader, and mends it.
func (c *care) reader(ctx context.Context, reader string, docs []layout.Document, follows []follow) error {
	err := c.timeline(ctx, reader, docs, follows)
	if !c.mend || !theirs(err) {
		return err
	}
	c.count.Unrepaired++
	c.found(c.db.Timeline(reader).Path, "", fmt.Sprintf("is not repaired: %v. After that, run repair-timelines again", err))
	return nil
}

func (c *care) timeline(ctx context.Context, reader string, docs []layout.Document, follows []follow) error {
	found := c.count.Problems
	if len(docs) > 0 {
		c.count.Timelines++
	}
	for n, problem := range wrongs(c.layout, docs) {
		c.found(docs[n].Ref.Path, "", problem)
	}
	in := map[string]string{} // ids of documents by post
	for _, doc := range docs {
		if err := c.document(ctx, doc, in); err != nil {
			return err
		}
	}
	if c.mend && c.count.Problems > found {
		var err error
		if docs, in, err = c.mendTimeline(ctx, reader); err != nil {
			return err
		}
		if c.KeepOthers && slices.ContainsFunc(docs, func(d layout.Document) bool { return !d.Foreign() && !c.layout.Writes(d) }) {
			return nil // KeepOthers left them: the other options may have their layout
		}
	}
	decided, at, err := c.decidedBy(ctx, reader)
	if err != nil || decided.IsIdle { // an idle reader's missing posts come when the reader returns
		return err
	}
	due, err := c.due(ctx, reader, follows)
	if err != nil {
		return err
	}
	due = slices.DeleteFunc(due, func(p duePost) bool { return decided.Hides(p.author, p.kind) })
	var missing []duePost
	for _, p := range due {
		p.must = p.must && keeps(c.layout, docs, p.post())
		if in[p.id] == "" && (p.must || c.mend && (p.older || c.Posts > 0)) {
			missing = append(missing, p)
		}
	}
	if missing, err = c.unblocked(ctx, reader, missing); err != nil {
		return err
	}
	if limit := c.db.Config.Cap; limit > 0 {
		missing = missing[:room(c.layout, docs, missing, limit)]
	}
	if err := c.promised(ctx, reader, docs, due, missing, in, at); err != nil {
		return err
	}
	slices.Reverse(missing)
	for _, p := range missing {
		if p.sure {
			c.found(c.db.Timeline(reader).Path, p.id, "is missing")
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
				c.found(doc.Ref.Path, p, "the post does not reach the reader, is of a kind that the reader hides, or belongs in another document")
			case len(edits.Now) > 0:
				c.found(doc.Ref.Path, p, "is not as the post says")
				if c.layout.Writes(doc) {
					in[p] = doc.Ref.ID
				}
			case in[p] != "":
				c.found(doc.Ref.Path, p, "is in "+in[p]+" too")
			case c.wrongMark(e, want):
				if c.found(doc.Ref.Path, p, "is marked as hidden, or is not, other than the reader says"); c.mend {
					if err := c.Hide(ctx, doc.Reader(), p); err != nil {
						return err
					}
				}
				in[p] = doc.Ref.ID
			case c.layout.Writes(doc): // a repair deletes the others
				in[p] = doc.Ref.ID
			}
		}
	}
	return nil
}

// decidedBy returns a reader's settings, and when the reader last wrote them; zero: never. With settings, it costs a
// read.
func (c *care) decidedBy(ctx context.Context, reader string) (d readers.Decision, at time.Time, err error) {
	if !c.db.Config.ReaderSettings {
		return d, at, nil
	}
	docs, err := c.db.Client.GetAll(readers.Only(ctx), []*firestore.DocumentRef{c.db.Decided(reader)})
	if err != nil {
		return d, at, err
	}
	d.Settings = readers.Decode(docs[0])
	d.IsIdle = d.Idle(docs[0].ReadTime, c.db)
	if docs[0].Exists() {
		at = docs[0].UpdateTime
	}
	return d, at, nil
}

// wrongMark reports whether the mark of an entry that stays disagrees with the reader's settings. Without settings, no
// entry may be marked: Feed would leave it out, and the reader could not bring it back.
func (c *care) wrongMark(e layout.Entry, want func(layout.Entry) (layout.Entry, bool)) bool {
	now, _ := want(e)
	return now.Hidden != e.Hidden
}

// wanted reads posts, the edges of a document's audiences, the reader's blocks of authors who name the reader, and the
// reader's settings. The function that it returns decides what becomes of an entry.
func (c *care) wanted(ctx context.Context, tx *firestore.Transaction, doc layout.Document, ids []string) (func(layout.Entry) (layout.Entry, bool), error) {
	var refs []*firestore.DocumentRef
	edges, senders := map[string]bool{}, map[string]bool{}
	if c.db.Config.ReaderSettings && len(ids) > 0 {
		refs = append(refs, c.db.Decided(doc.Reader()))
	}
	for _, p := range ids {
		if schema.CheckPostID(p) != nil {
			continue // its entry is removed, like the entry of a deleted post
		}
		if refs = append(refs, c.db.Post(p)); c.db.Config.ReaderSettings {
			refs = append(refs, c.db.HiddenPost(doc.Reader(), p))
		}
		e := doc.Entries[p]
		if a := e.Audience; schema.CheckAccountID(a) == nil && !edges[a] && !c.KeepsOnUnfollow() {
			edges[a] = true
			refs = append(refs, c.db.Edge(a, doc.Reader()))
		}
		if (e.Audience != e.Author || c.KeepsOnUnfollow()) && e.Author != doc.Reader() && schema.CheckAccountID(e.Author) == nil && !senders[e.Author] {
			senders[e.Author] = true
			refs = append(refs, c.db.Block(doc.Reader(), e.Author))
		}
	}
	get := c.db.Client.GetAll
	if tx != nil {
		get = func(_ context.Context, refs []*firestore.DocumentRef) ([]*firestore.DocumentSnapshot, error) {
			return tx.GetAll(refs)
		}
	}
	var snaps []*firestore.DocumentSnapshot
	if len(refs) > 0 { // none: no entries, or only strange ones
		var err error
		if snaps, err = get(ctx, refs); err != nil {
			return nil, err
		}
	}
	now, follows, blocks, hidden := map[string]*posts.Post{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	var settings readers.Settings
	for _, snap := range snaps {
		switch snap.Ref.Parent.ID {
		case names.Following:
			follows[snap.Ref.ID] = schema.TextOf(snap, schema.FieldIndexID) != ""
			continue
		case names.Blocked:
			blocks[snap.Ref.ID] = snap.Exists()
			continue
		case names.ReaderSettings:
			settings = readers.Decode(snap)
			continue
		case names.HiddenPosts:
			hidden[snap.Ref.ID] = snap.Exists()
			continue
		}
		if post, err := posts.Decode(c.db.Config, snap); snap.Exists() && err == nil {
			now[snap.Ref.ID] = &post
		}
	}
	return func(e layout.Entry) (layout.Entry, bool) {
		post := now[e.Post]
		now, ok := c.EntryNow(e, doc.Reader(), post)
		// A block removes posts that name the reader. If the post has another author now, that block was not read: the
		// entry is removed and comes again.
		ok = ok && (now.Audience != "" || now.Author == e.Author && !blocks[e.Author])
		now.Hidden = hidden[e.Post]
		stays := e.Audience == "" || follows[e.Audience] || c.KeepsOnUnfollow()
		c.hasPosts = c.hasPosts || post != nil
		if tx != nil && c.KeepOthers && c.othersKeep(e, doc.Reader(), post, ok, stays) {
			c.left[e.Post] = true
			return e, true
		}
		return now, ok && stays && !settings.Hides(now.Author, now.Kind)
	}, nil
}

// othersKeep reports whether other options might keep an entry that does not belong here. That may be an entry of an
// audience that the reader has left, or of the reader's own post. As long as the run has found no post, it may also be
// an entry of a post in a collection of another name.
func (c *care) othersKeep(e layout.Entry, reader string, post *posts.Post, reaches, stays bool) bool {
	switch {
	case post == nil:
		return !c.hasPosts
	case reaches:
		return !stays
	default:
		return e.Audience == "" && post.Author == reader
	}
}
