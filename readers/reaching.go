package readers

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Reached is a post that reaches a reader.
type Reached struct {
	posts.Post
	// Since is the time of the follow that brings the post; zero: the post names the reader.
	Since time.Time
	// Older reports that the post need not come: it was made before the follow.
	Older bool
}

// Reaching returns the newest posts that reach a reader, newest first, without their fields. The limit is
// most. A post reaches a reader in three cases:
//
//   - it was made after the follow, less [schema.MaxAhead];
//   - it is among the newest backfill posts of its audience before that time;
//   - it names the reader, who does not block its author.
//
// A post of a kind that the reader hides does not reach the reader.
//
// Reaching costs a read for the settings, for each follow, and for each author of posts that name the reader. It also
// costs what [posts.Newest] costs (a read for each post, at least one) for each audience, for posts that name the
// reader, and for the reader's own posts. Once it has found as many posts as the limit, it reads
// no older ones. In memory, it holds all follows, and twice as many posts as the limit.
func Reaching(ctx context.Context, db *schema.Database, reader string, most, backfill int) ([]Reached, error) {
	return reaching(ctx, db, reader, most, backfill, maxApart)
}

func reaching(ctx context.Context, db *schema.Database, reader string, most, backfill, apart int) ([]Reached, error) {
	docs, err := db.Client.GetAll(Only(ctx), []*firestore.DocumentRef{db.Decided(reader)})
	if err != nil {
		return nil, err
	}
	n := newest{db: db, reader: reader, most: most, backfill: backfill, apart: apart, settings: Decode(docs[0]), blocked: map[string]bool{}}
	all := db.Client.Collection(db.Config.Collections().Posts)
	if err := n.named(ctx, all.Where(schema.FieldTo, "array-contains", reader)); err != nil {
		return nil, err
	}
	if own, err := HasOwnPosts(ctx, db, reader); err != nil {
		return nil, err
	} else if own {
		if err := n.named(ctx, all.Where(schema.FieldUserID, "==", reader)); err != nil {
			return nil, err
		}
	}
	walk, ctx := errgroup.WithContext(ctx)
	walk.SetLimit(audiencesAtOnce)
	for snap, err := range store.Documents(ctx, db.User(reader).Collection(names.Following).OrderBy(firestore.DocumentID, firestore.Asc).Select(schema.FieldIndexID, schema.FieldCreatedAt)) {
		if err != nil {
			return nil, errors.Join(err, walk.Wait())
		}
		audience, since := snap.Ref.ID, FollowedAt(snap)
		if schema.CheckFollow(audience, reader) == nil && schema.TextOf(snap, schema.FieldIndexID) != "" {
			walk.Go(func() error { return n.followed(ctx, audience, since) })
		}
	}
	if err := walk.Wait(); err != nil {
		return nil, err
	}
	n.cut()
	return n.found, nil
}

// audiencesAtOnce is the number of audiences whose posts are read at a time.
const audiencesAtOnce = 16

// HasOwnPosts reports whether a reader gets their own posts. They do not if the account was deleted, its posts are kept,
// and it is not back. It costs two reads, but only where posts are kept.
func HasOwnPosts(ctx context.Context, db *schema.Database, reader string) (bool, error) {
	if db.Config.NoOwnPosts || !db.Config.KeepPosts {
		return !db.Config.NoOwnPosts, nil
	}
	docs, err := db.Client.GetAll(ctx, []*firestore.DocumentRef{db.User(reader), db.Tombstone(db.TombstoneID(reader))})
	if err != nil {
		return false, err
	}
	return schema.HasProfile(docs[0]) || !docs[1].Exists(), nil
}

// FollowedAt returns when a follow was made, by its edge with the field createdAt. UpdateTime would be wrong: the edge
// is written again when the follower moves to another index document.
func FollowedAt(edge *firestore.DocumentSnapshot) time.Time {
	if at, ok := schema.FieldsOf(edge, schema.FieldCreatedAt)[schema.FieldCreatedAt].(time.Time); ok && at.Before(edge.UpdateTime) {
		return at
	}
	return edge.UpdateTime
}

// Window returns the window of an audience's posts that come with a follow made at since.
func Window(since time.Time, backfill, most int) posts.Window {
	return posts.Window{After: since.Add(-schema.MaxAhead), More: backfill, Most: most}
}

const (
	maxPage = 1000 // posts that are read at once
	// maxApart is the number of consecutive posts that name the reader but do not come, after which the walk ends. Such
	// posts are hidden, damaged, of a kind that the reader hides, or by people whom the reader blocks. Without an end,
	// they would cost without limit. Older posts stay away, also after a repair.
	maxApart = 10_000
)

// newest collects the newest posts that reach a reader.
type newest struct {
	db             *schema.Database
	reader         string
	most, backfill int
	apart          int // see maxApart
	settings       Settings
	blocked        map[string]bool // by author of posts that name the reader

	mu    sync.Mutex
	found []Reached
	from  time.Time // older posts exceed the limit
}

// followed adds the posts of an audience that the reader follows.
func (n *newest) followed(ctx context.Context, audience string, since time.Time) error {
	w := Window(since, n.backfill, n.most)
	n.mu.Lock()
	w.From = n.from
	n.mu.Unlock()
	found, err := posts.Newest(ctx, n.db, audience, w)
	if err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, post := range found {
		n.add(Reached{post.Bare(), since, !post.CreatedAt().After(w.After)})
	}
	if len(n.found) >= 2*n.most {
		n.cut()
	}
	return nil
}

// named adds the results of a query that name the reader. It must not run at the same time as other calls.
func (n *newest) named(ctx context.Context, q firestore.Query) error {
	q = q.OrderBy(schema.FieldCreatedAt, firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc).
		Where(schema.FieldCreatedAt, ">=", n.from).Where(schema.FieldCreatedAt, "<=", schema.LatestTime).
		Select(append(names.PostFields(), names.FieldKind)...)
	page := min(n.most, maxPage)
	for kept, apart := 0, 0; ; {
		docs, err := q.Limit(page).Documents(ctx).GetAll()
		if err != nil {
			return err
		}
		for _, doc := range docs {
			apart++
			post, err := posts.Decode(n.db.Config, doc)
			if err != nil || !slices.Contains(post.Recipients, n.reader) {
				continue
			}
			if blocks, err := n.blocks(ctx, post.Author); err != nil {
				return err
			} else if !blocks && n.add(Reached{Post: post.Bare()}) {
				kept, apart = kept+1, 0
			}
		}
		if n.cut(); len(docs) < page || kept >= n.most || apart >= n.apart {
			return nil
		}
		q = q.StartAfter(docs[len(docs)-1])
	}
}

// blocks reports whether the reader blocks an author who names them. It costs a read for each author.
func (n *newest) blocks(ctx context.Context, author string) (bool, error) {
	if author == n.reader {
		return false, nil
	}
	blocks, ok := n.blocked[author]
	if !ok {
		docs, err := n.db.Client.GetAll(ctx, []*firestore.DocumentRef{n.db.Block(n.reader, author)})
		if err != nil {
			return false, err
		}
		blocks = docs[0].Exists()
		n.blocked[author] = blocks
	}
	return blocks, nil
}

// add adds a post, unless the reader hides its kind.
func (n *newest) add(r Reached) bool {
	if n.settings.Hides(r.Author, r.Kind) {
		return false
	}
	n.found = append(n.found, r)
	return true
}

// cut leaves the newest posts, each once. A post that also names the reader stays as one that names the reader.
func (n *newest) cut() {
	slices.SortFunc(n.found, func(a, b Reached) int {
		return cmp.Or(b.CreatedAt().Compare(a.CreatedAt()), cmp.Compare(b.ID, a.ID), a.Since.Compare(b.Since))
	})
	n.found = slices.CompactFunc(n.found, func(a, b Reached) bool { return a.ID == b.ID })
	if len(n.found) >= n.most {
		n.found = n.found[:n.most]
		n.from = n.found[n.most-1].CreatedAt()
	}
}
