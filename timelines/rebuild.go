package timelines

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/timelines/layout"
)

// MaxRebuild is how many of the newest posts a rebuild brings to a timeline without a cap.
const MaxRebuild = 10_000

// pageRebuild brings a reader the newest posts that reach them and are not there, as many as the
// cap, oldest first: up to limit times PageFactor after the place after. A post reaches a reader if
// it was made after the follow, if it is among the newest Backfill of its audience, or if it names
// the reader; not if the reader hides its kind.
//
// It costs a read for each of these posts, and for each 30 of those followed up to as many again; one
// for each follow, and one for each document of the timeline; then what [Delivery.Bring] costs. Each
// page costs that again.
//
// A fan-out that left the reader out had read the settings before they changed, and the post: so the
// post is among these. A crash leaves the rest to the event, or to the job.
func (x *Delivery) pageRebuild(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	reader := job.Args[schema.ArgReader]
	limit = max(limit, 1) * x.opts.PageFactor
	err = work.UntilSettled(ctx, func() (int, error) {
		page = chunker.Page{}
		missing, err := x.missing(ctx, reader)
		if err != nil {
			return 0, err
		}
		missing = slices.DeleteFunc(missing, func(p posts.Post) bool { return !isAfter(p, after) })
		if len(missing) > limit {
			missing, page.More = missing[:limit], true
		}
		if len(missing) == 0 {
			return 0, nil
		}
		page.Done, page.Last = len(missing), x.placeAfter(missing[len(missing)-1])
		for _, part := range store.Chunks(posts.IDs(missing), backfillBatch) {
			err := x.Bring(ctx, reader, part)
			if errors.Is(err, store.ErrStale) {
				return 1, nil
			} else if err != nil {
				return 0, err
			}
		}
		return 0, nil
	})
	return page, err
}

// missing returns the posts that a rebuild brings, oldest first, without their fields.
func (x *Delivery) missing(ctx context.Context, reader string) ([]posts.Post, error) {
	newest, err := x.newestFor(ctx, reader, cmp.Or(min(x.db.Options.Timelines.Cap, MaxRebuild), MaxRebuild))
	if err != nil || len(newest) == 0 {
		return nil, err
	}
	there := map[string]bool{}
	for snap, err := range store.Documents(ctx, x.db.Timeline(reader).OrderBy(firestore.DocumentID, firestore.Asc).Select(layout.FieldPosts)) {
		if err != nil {
			return nil, err
		}
		for _, p := range layout.Read(snap).Posts {
			there[p] = true
		}
	}
	slices.Reverse(newest)
	return slices.DeleteFunc(newest, func(p posts.Post) bool { return there[p.ID] }), nil
}

// newestFor returns the newest posts that reach a reader, newest first, at most most.
func (x *Delivery) newestFor(ctx context.Context, reader string, most int) ([]posts.Post, error) {
	docs, err := x.db.Client.GetAll(readers.Only(ctx), []*firestore.DocumentRef{x.db.Decided(reader)})
	if err != nil {
		return nil, err
	}
	n := newest{Delivery: x, reader: reader, most: most, since: map[string]time.Time{}, settings: readers.Decode(docs[0])}
	var people, groups []string
	for snap, err := range store.Documents(ctx, x.db.User(reader).Collection(names.Following).OrderBy(firestore.DocumentID, firestore.Asc).Select(schema.FieldIndexID)) {
		if err != nil {
			return nil, err
		}
		if id := snap.Ref.ID; schema.CheckFollow(id, reader) != nil || schema.TextOf(snap, schema.FieldIndexID) == "" {
			continue
		} else if n.since[id] = snap.UpdateTime; schema.IsGroup(id) || x.db.Options.PostsFilled {
			groups = append(groups, id)
		} else {
			people = append(people, id) // their posts need not have the field audience
		}
	}
	all := x.db.Client.Collection(x.db.Options.Collections.Posts)
	queries := []firestore.Query{all.Where(schema.FieldTo, "array-contains", reader)}
	if x.db.Options.OwnPosts {
		queries = append(queries, all.Where(schema.FieldUserID, "==", reader))
	}
	for ids := range slices.Chunk(groups, maxIn) {
		queries = append(queries, all.Where(schema.FieldAudience, "in", ids))
	}
	for ids := range slices.Chunk(people, maxIn) {
		queries = append(queries, all.Where(schema.FieldUserID, "in", ids))
	}
	for _, q := range queries {
		if err := n.add(ctx, q); err != nil {
			return nil, err
		}
	}
	n.cut()
	return n.found, nil
}

// maxIn is how many values an in filter may have:
// https://firebase.google.com/docs/firestore/query-data/queries
const maxIn = 30

// newest collects the newest posts that reach a reader.
type newest struct {
	*Delivery
	reader   string
	most     int
	since    map[string]time.Time // of the follows, by audience
	settings readers.Settings
	found    []posts.Post
	from     time.Time // older ones are too many
}

// add adds what a query finds. It holds at most twice as many as are wanted.
func (n *newest) add(ctx context.Context, q firestore.Query) error {
	q = q.OrderBy(schema.FieldCreatedAt, firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc).
		Where(schema.FieldCreatedAt, ">=", n.from).Where(schema.FieldCreatedAt, "<=", posts.Latest).
		Select(append(names.PostFields(), names.FieldKind)...)
	rank := map[string]int{} // of the last post, among those of its audience
	for kept := 0; ; {
		docs, err := q.Limit(n.most).Documents(ctx).GetAll()
		if err != nil {
			return err
		}
		for _, doc := range docs {
			post, err := posts.Decode(n.db.Options, doc)
			if err != nil {
				continue
			}
			since, follows := n.since[post.Audience]
			rank[post.Audience]++
			reaches := slices.Contains(post.Recipients, n.reader) ||
				follows && (post.Created.After(since) || rank[post.Audience] <= n.opts.Backfill)
			if reaches && !n.settings.Hides(post.Author, post.Kind) {
				n.found = append(n.found, post.Bare())
				kept++
			}
		}
		if n.cut(); len(docs) < n.most || kept >= n.most {
			return nil
		}
		q = q.StartAfter(docs[len(docs)-1])
	}
}

// cut leaves the newest posts, each once.
func (n *newest) cut() {
	slices.SortFunc(n.found, func(a, b posts.Post) int {
		return cmp.Or(b.CreatedAt().Compare(a.CreatedAt()), cmp.Compare(b.ID, a.ID))
	})
	n.found = slices.CompactFunc(n.found, func(a, b posts.Post) bool { return a.ID == b.ID })
	if len(n.found) >= n.most {
		n.found = n.found[:n.most]
		n.from = n.found[n.most-1].CreatedAt()
	}
}
