package timelines

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/timelines/layout"
)

// Post makes the entries of post p match the current post. It corrects and removes existing entries, then
// brings the post to its recipients, then to the followers of its audience. The order matters: see
// [layout.Buckets]. When Post returns nil, all of this is durable, in documents or in a job.
//
// If a post has no author, Post removes its entries and returns ErrBadDocument. If the audience or the
// recipients are bad, Post also returns ErrBadDocument: nobody gets the post by the bad field.
//
// A new post to n ≤ InlineLimit followers in k index documents costs 3k + 4 reads, n writes, and the reads of
// the layout for n entries. A second call costs n + k + 3 reads. An edit of a field that entries copy costs a
// read and n writes more. A deletion costs n + 2 reads, and a write or a delete for each document with the
// post. For r people named in the post, each call costs 2r + r/100 + 1 reads more, and the layout's cost for r
// entries. The cost of [readers.In] is added for each reader who gets an entry, or whom the post names.
//
// For more followers, Post enqueues a job. A job costs a few reads more for each page and batch.
// `relationindex cost` counts all of this. A post costs a read for each newer follower if it comes, is shown
// or is moved when it is older than [schema.MaxAhead].
//
// Its event may come twice or late: Post reads the current state. If the event never comes, the post is in no
// timeline until a repair. If two calls run at once, each transaction writes only entries that the other has
// not written.
func (x *Delivery) Post(ctx context.Context, p string) error { return x.update(ctx, p, true) }

// Edited makes the existing entries of post p match the current post, where they are. It brings the post to
// nobody. It costs the same as this edit in Post, without the reads for each follower.
func (x *Delivery) Edited(ctx context.Context, p string) error { return x.update(ctx, p, false) }

// Take removes the entries of post p from the timelines of people whom the post named. Who is named now, or follows the
// audience, keeps the entry, which then is as the post is now. Take brings the post to nobody. It costs two reads and a
// query for each person, a read more if the post has an audience, and a write or a delete for each change. A second call
// costs the post and the queries.
//
// A crash leaves the other people to the event.
func (x *Delivery) Take(ctx context.Context, p string, from []string) error {
	if schema.CheckPostID(p) != nil {
		return nil // nobody has it
	}
	_, err := work.EachFollow(ctx, x.graph.Pool, from, func(ctx context.Context, reader string) error {
		q := x.db.Timeline(reader).Where(layout.FieldPosts, "array-contains", p).SelectPaths(layout.FieldsFor(p)...)
		_, err := x.entries(ctx, q, p, x.current(ctx, p), map[string]bool{}, nil, x.db.Config.InlineLimit)
		return err
	})
	return err
}

// update is Post, or Edited unless it brings.
func (x *Delivery) update(ctx context.Context, p string, brings bool) error {
	if err := schema.CheckPostID(p); err != nil {
		return schema.BadDocument(x.db.Config.Collections().Posts+"/"+p, "%w", err)
	}
	post, generation, bad := posts.Current(ctx, x.db, p)
	if bad != nil && !errors.Is(bad, schema.ErrBadDocument) {
		return bad
	}
	author := ""
	if post != nil {
		author, bad = post.Author, post.Bad
	}
	limit := x.db.Config.InlineLimit
	kept := map[string]bool{}
	done, err := x.entries(ctx, x.entriesOf(p), p, x.known(ctx, p, post), kept, nil, limit+1)
	limited := brings && posts.Limited(ctx)
	if err == nil && limited && post != nil && len(post.Recipients) > 0 && !x.db.Braked() { // the job brings it to nobody by name
		err = x.BringNamed(ctx, p)
	}
	if err == nil && !done.More && post != nil && brings {
		switch n := len(post.Recipients); {
		case n > limit && !limited, x.db.Braked() && (n > 0 || post.Audience != ""): // the job waits before it brings the post
			done.More = true
		case n > 0 && !limited:
			err = x.BringNamed(ctx, p)
		}
		if err == nil && !done.More {
			done, err = x.fanOut(ctx, x.known(ctx, p, post), kept, nil, limit, false)
		}
		if err == nil && !done.More { // also readers to whom an earlier call brought the post before it died
			err = x.LiftAsCommented(ctx, p, slices.Sorted(maps.Keys(kept)))
		}
	}
	// The pages of a job give a damaged index document time to be mended.
	damaged := len(schema.DamagedIndexes(err)) > 0
	if err = x.graph.PastDamage(ctx, err); err == nil && (done.More || damaged) {
		spec := chunker.Spec{
			ID: x.PostJob(p), Kind: schema.KindTimelinePost, Generation: generation, Owner: x.db.OwnerOf(author),
			Args: map[string]string{schema.ArgPost: p},
		}
		if !brings { // a job of its own: one that brings the post must not end as this one does
			spec.ID, spec.Args[schema.ArgEdited] = schema.TimelineEditJobID(p), "true"
		}
		if limited {
			spec.Args[schema.ArgNamed] = ""
		}
		err = x.engine.Enqueue(ctx, spec)
	}
	if err != nil {
		return fmt.Errorf("timelines of %s: %w", x.db.Post(p).Path, err)
	}
	return bad
}

// current returns a function that reads post p; nil if the post is deleted or bad.
func (x *Delivery) current(ctx context.Context, p string) func() (*posts.Post, error) {
	return func() (*posts.Post, error) {
		post, _, err := posts.Current(ctx, x.db, p)
		if errors.Is(err, schema.ErrBadDocument) {
			err = nil // the event's handler reports it
		}
		return post, err
	}
}

// known is current for a post that was just read: the first call returns that post.
func (x *Delivery) known(ctx context.Context, p string, post *posts.Post) func() (*posts.Post, error) {
	called := false
	return func() (*posts.Post, error) {
		if !called {
			called = true
			return post, nil
		}
		return x.current(ctx, p)()
	}
}

// pageEntries is entries for a page of a job. It handles many documents at once, so that removing a post is
// faster than bringing it.
func (x *Delivery) pageEntries(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	p := job.Args[schema.ArgPost]
	return x.entries(ctx, x.entriesOf(p), p, x.current(ctx, p), map[string]bool{}, after, limit*x.opts.PageFactor)
}

// entriesOf returns a query for the documents of all timelines that have an entry of post p.
func (x *Delivery) entriesOf(p string) firestore.Query {
	return x.db.Client.CollectionGroup(names.Timeline).Where(layout.FieldPosts, "array-contains", p).SelectPaths(layout.FieldsFor(p)...)
}

// bringing returns a page function that does nothing for the job of an edit, and waits while the brake is on.
func (x *Delivery) bringing(page chunker.PageFunc) chunker.PageFunc {
	page = x.graph.Adding(page)
	return func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
		if job.Args[schema.ArgEdited] != "" {
			return chunker.Page{}, nil
		}
		return page(ctx, job, after, limit)
	}
}

// entries corrects the entries of post p in up to limit documents that q finds, after the document after, and removes the
// entries of readers whom the post no longer reaches. Readers whom the post names no longer, but who follow its audience,
// keep their entries. The transactions read the post, so that the last commit
// writes the post's current state. kept gets the readers whose entries stay.
//
// It costs a read for each document, and a write for each change. With settings, it costs a read for each
// entry whose kind or author changes. For each reader whom the post names now and did not name before, it
// costs a read of the block: a reader who blocks the author does not keep the entry. For each reader whom the post names
// no longer, it costs a read of the edge, if the post has an audience.
//
// An entry that belongs in another document is added there before it is removed: no fan-out brings an older
// post to a newer follower. That costs a [Delivery.Bring] for each reader, and the documents are listed again.
// Between the two writes, a reader has the entry twice. With KeepOnUnfollow, readers who have unfollowed lose
// it.
//
// A crash leaves the rest of the page to the event or the job.
func (x *Delivery) entries(ctx context.Context, q firestore.Query, p string, current func() (*posts.Post, error), kept map[string]bool, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	// Documents are listed with the ids of their posts.
	atOnce := max(1, schema.TransactionBytes/x.layout.Held(false))
	for {
		some, err := x.someEntries(ctx, q, p, current, kept, after, min(atOnce, limit-page.Done))
		some.Done += page.Done
		if page, after = some, some.Last; err != nil || !page.More || page.Done >= limit {
			return page, err
		}
	}
}

func (x *Delivery) someEntries(ctx context.Context, q firestore.Query, p string, current func() (*posts.Post, error), kept map[string]bool, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	var stay, move []string
	at, failed, failures := map[string]int64{}, map[string]bool{}, error(nil) // at: where entries are now, by reader
	err = work.UntilSettled(ctx, func() (int, error) {
		stay, move = nil, nil
		docs, err := store.ListPage(ctx, q, after, limit)
		if err != nil || len(docs) == 0 {
			page = chunker.Page{}
			return 0, err
		}
		page = bulk.PageOf(docs, limit)
		now, err := current()
		if err != nil {
			return 0, err
		}
		var moves []string
		wrong := slices.DeleteFunc(x.listedOf(docs), func(l listed) bool {
			doc := layout.Read(l.DocumentSnapshot)
			c, reader := x.editsOf(doc, p, now, nil, false), doc.Reader()
			if !doc.Foreign() && len(c.Gone) == 0 {
				stay = append(stay, reader)
			}
			if !doc.Foreign() && len(c.Move) > 0 {
				if move = append(move, reader); !failed[reader] && at[reader] != now.CreatedAt().UnixMicro() {
					moves = append(moves, reader)
				}
			}
			return doc.Foreign() || c.Empty() || failed[reader]
		})
		if len(moves) > 0 {
			there, err := x.move(ctx, p, moves)
			for _, reader := range moves {
				at[reader], failed[reader] = now.CreatedAt().UnixMicro(), !there[reader]
			}
			failures = errors.Join(failures, err)
			return 1, nil // their documents have changed
		}
		return writing[listed]{Delivery: x, write: func(_ context.Context, tx *firestore.Transaction, part []listed) error {
			post, err := x.postIn(tx, p)
			if err != nil {
				return err
			}
			decided, err := x.decidedOf(tx, part, p, post)
			if err != nil {
				return err
			}
			blocking, following, err := x.deciding(tx, part, p, post)
			if err != nil {
				return err
			}
			return x.change(tx, part, func(doc *layout.Document) layout.Edits {
				doc.Whole = false
				if blocking[doc.Reader()] {
					return x.editsOf(*doc, p, nil, nil, false)
				}
				return x.editsOf(*doc, p, post, decided, following[doc.Reader()])
			})
		}}.each(ctx, wrong, entryBytes+readers.Held(x.db))
	})
	for _, reader := range slices.Concat(stay, move) {
		kept[reader] = true
	}
	return page, errors.Join(err, failures)
}

// move brings post p to readers whose entry is not at its place, as [Delivery.Bring] does. It continues after
// errors, and returns the readers whose entry is now in place.
func (x *Delivery) move(ctx context.Context, p string, ids []string) (there map[string]bool, err error) {
	var mu sync.Mutex
	there = map[string]bool{}
	_, err = work.Each(ctx, x.graph.Pool, ids, func(ctx context.Context, reader string) error {
		err := work.UntilSettled(ctx, func() (int, error) {
			return 0, x.Bring(ctx, reader, []readers.Reached{{Post: posts.Post{ID: p}}})
		})
		mu.Lock()
		defer mu.Unlock()
		there[reader] = err == nil
		return err
	})
	return there, err
}

// entryBytes estimates the bytes of an entry that is read alone, with the post ids of its document.
const entryBytes = 16 << 10

// decidedOf reads the decisions of the readers whose entry of post p gets another kind or author.
func (x *Delivery) decidedOf(tx *firestore.Transaction, part []listed, p string, post *posts.Post) (map[string]readers.Decision, error) {
	var ids []string
	for _, l := range part {
		doc := layout.Read(l.DocumentSnapshot)
		if e := doc.Entries[p]; post != nil && (e.Kind != post.Kind || e.Author != post.Author) {
			ids = append(ids, doc.Reader())
		}
	}
	return readers.In(tx, x.db, "", ids)
}

// deciding returns two kinds of readers: those who block the author of post p, among readers whom the post newly names,
// and those who follow its audience, among readers whom it names no longer. A reader also counts as newly named if the
// author has changed.
func (x *Delivery) deciding(tx *firestore.Transaction, part []listed, p string, post *posts.Post) (blocking, following map[string]bool, err error) {
	var refs []*firestore.DocumentRef
	blocking, following = map[string]bool{}, map[string]bool{}
	for _, l := range part {
		doc := layout.Read(l.DocumentSnapshot)
		reader := doc.Reader()
		e, known := doc.Entries[p]
		switch named := post != nil && slices.Contains(post.Recipients, reader); {
		case post == nil || reader == post.Author:
		case named && (e.Audience != "" || e.Author != post.Author):
			refs = append(refs, x.db.Block(reader, post.Author))
		case !named && known && e.Audience == "" && post.Audience != "":
			refs = append(refs, x.db.Edge(post.Audience, reader))
		}
	}
	if len(refs) == 0 {
		return blocking, following, nil
	}
	docs, err := tx.GetAll(refs)
	for _, doc := range docs {
		if doc.Ref.Parent.ID == names.Blocked {
			blocking[doc.Ref.Parent.Parent.ID] = doc.Exists()
		} else if follows, damaged := schema.Follows(doc); damaged == nil {
			following[doc.Ref.Parent.Parent.ID] = follows
		}
	}
	return blocking, following, err
}

// editsOf returns the edits of a document that names post p, given the current post; nil: the post is deleted.
// If the reader's decisions hide the post, the edits remove the entry. follows: the reader follows the audience.
func (x *Delivery) editsOf(doc layout.Document, p string, post *posts.Post, decided map[string]readers.Decision, follows bool) layout.Edits {
	if _, ok := doc.Entries[p]; !ok {
		return layout.Edits{Gone: []string{p}, Mend: true} // posts names a missing entry
	}
	doc.Entries = map[string]layout.Entry{p: doc.Entries[p]}
	return doc.Editing(func(e layout.Entry) (layout.Entry, bool) {
		if follows {
			e.Audience = post.Audience
		}
		now, ok := x.EntryNow(e, doc.Reader(), post)
		return now, ok && !decided[doc.Reader()].Hides(post.Author, post.Kind)
	})
}

// EntryNow returns the entry of a post as it should be, given the current post; nil: the post is deleted. It
// keeps the effect of lifts.
func (x *Delivery) EntryNow(e layout.Entry, reader string, post *posts.Post) (now layout.Entry, ok bool) {
	if post == nil {
		return e, false
	}
	named := slices.Contains(post.Recipients, reader)
	follows := post.Audience != "" && e.Audience == post.Audience
	if now = layout.For(*post, reader); x.db.Config.Ranked {
		now.At = max(now.At, e.At)
	}
	return now, named || follows
}

// postIn reads post p in a transaction; nil if the post is deleted or bad.
func (x *Delivery) postIn(tx *firestore.Transaction, p string) (*posts.Post, error) {
	snap, err := store.GetMaybe(tx, x.db.Post(p))
	if err != nil || !snap.Exists() {
		return nil, err
	}
	post, err := posts.Decode(x.db.Config, snap)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // nobody gets it; the event's handler reports it
	}
	return &post, nil
}
