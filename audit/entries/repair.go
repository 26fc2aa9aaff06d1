package entries

import (
	"context"
	"errors"
	"maps"
	"slices"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

const (
	batch   = 100 // entries that are read at once
	brought = 25  // posts that a transaction brings to a reader
)

// mendTimeline corrects and removes entries, and then rebuilds buckets. It deletes documents of another layout. It
// returns the resulting documents, and the documents by post.
//
// Each transaction reads the posts and the edges, and writes a document as it was read. A crash
// leaves the others.
func (c *care) mendTimeline(ctx context.Context, reader string) (docs []layout.Document, in map[string]string, err error) {
	c.left = map[string]bool{}
	err = work.UntilSettled(ctx, func() (stale int, err error) {
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
			case c.KeepOthers:
				c.left[doc.Ref.ID] = true
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
			err = c.rebuild(ctx, reader)
		}
		if store.IsStale(err) {
			return 1, nil
		}
		return stale, err
	})
	if c.count.Left += int64(len(c.left)); err != nil {
		return nil, nil, err
	}
	in = map[string]string{}
	for snap, err := range store.Documents(ctx, c.db.Timeline(reader).OrderBy(firestore.DocumentID, firestore.Asc)) {
		if err != nil {
			return nil, nil, err
		}
		doc := layout.Read(snap)
		if docs = append(docs, doc); c.layout.Writes(doc) {
			for p := range doc.Entries {
				in[p] = doc.Ref.ID
			}
		}
	}
	return docs, in, nil
}

// mendDocument makes a document's entries match their posts. It removes entries that seen has in another document, and
// adds the others to seen.
//
// The documents were not listed at one time: an entry seen in open may have moved to this document since. So the
// transaction checks whether the other document still has it.
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
			now := some.Editing(func(e layout.Entry) (layout.Entry, bool) {
				now, ok := want(e)
				return now, ok && !twice[e.Post]
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

// inOthers returns the posts that still have an entry in the document where they were seen.
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

// theirs reports whether an error concerns only one reader's documents, and may come again.
func theirs(err error) bool {
	return errors.Is(err, work.ErrTooMuch) || errors.Is(err, schema.ErrContention) || errors.Is(err, schema.ErrDamaged) ||
		store.IsRejected(err) || status.Code(err) == codes.Aborted
}

// bring brings posts to a reader, oldest first. Existing entries keep their places.
//
// A crash leaves the newest posts missing.
func (c *care) bring(ctx context.Context, reader string, due []duePost) error {
	for len(due) > 0 {
		var some []readers.Reached
		for _, p := range due[:min(len(due), brought)] {
			reached := readers.Reached{Since: p.since}
			reached.ID = p.id
			some = append(some, reached)
		}
		err := work.UntilSettled(ctx, func() (int, error) { return 0, c.Bring(ctx, reader, some) })
		if err != nil {
			return err
		}
		c.count.Posts += int64(len(some))
		due = due[len(some):]
	}
	return nil
}
