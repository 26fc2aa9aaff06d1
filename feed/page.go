package feed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

const (
	// MaxLimit is the most posts of a page, as in the rules for clients that query the
	// relations themselves.
	MaxLimit = 50

	// maxRounds is the most queries of a page: the first, and those that replace posts
	// that were left out.
	maxRounds = 5

	// pageBytes is the most bytes of posts in a page, as Firestore sends them: four
	// posts of the largest size, thousands of usual posts. A page that would exceed it
	// ends early, with a cursor.
	pageBytes = 4 << 20
)

// ErrLimit is the error for a limit that is not 1 to [MaxLimit].
var ErrLimit = fmt.Errorf("limit must be 1 to %d", MaxLimit)

// Feed reads the feeds of one database. It is safe for concurrent use.
type Feed struct {
	client *firestore.Client
	names  names.Collections
}

// New returns a Feed on a client that [wire.Open] opened, which stays the caller's.
// With another client, pages of large posts have no bound on memory. New sends no
// requests.
func New(client *firestore.Client, c names.Collections) *Feed {
	return &Feed{client: client, names: c.WithDefaults()}
}

// Page is a part of a feed, newest post first.
type Page struct {
	Posts []Post `json:"posts"`
	// Cursor is where the next page begins; "" on the last page.
	Cursor string `json:"cursor,omitempty"`
	// Rounds is the number of queries that the page took: one, and one more each time
	// that posts were left out.
	Rounds int `json:"-"`
	// Damaged has an error for each post that exists but was left out, because the
	// Firestore library cannot decode it.
	Damaged []error `json:"-"`
}

// Page reads at most limit posts of reader's feed, from the cursor of the page before,
// or from the beginning with "". It returns [ErrLimit], [ErrCursor], an error of
// Firestore, or an error that names a damaged relation. You may call it again with the
// same cursor.
//
// A page can have fewer posts than limit and still a cursor: the last page is the one
// without. A page whose posts would exceed 4 MiB, as Firestore sends them, ends early.
// It has at least one post if five queries find one.
func (f *Feed) Page(ctx context.Context, reader string, limit int, from string) (Page, error) {
	if limit < 1 || limit > MaxLimit {
		return Page{}, ErrLimit
	}
	at, err := parseCursor(from, reader)
	if err != nil {
		return Page{}, err
	}
	p := Page{Posts: []Post{}}
	given := map[string]bool{} // ids of this page's posts
	left := pageBytes
	for p.Rounds < maxRounds && len(p.Posts) < limit {
		p.Rounds++
		asked := limit - len(p.Posts)
		found, err := f.relations(ctx, reader, at, asked)
		if err != nil {
			return Page{}, fmt.Errorf("query of relations: %w", err)
		}
		posts, took, err := f.posts(ctx, f.wanted(found, at, given), left, len(p.Posts) == 0)
		if err != nil {
			return Page{}, fmt.Errorf("batch get of posts: %w", err)
		}
		cut := false
		for _, r := range found {
			wanted := f.want(r, at, given)
			doc, read := posts[r.PostID]
			if cut = wanted && !read; cut {
				break // the post did not fit
			}
			if wanted {
				given[r.PostID] = p.add(r, doc)
			}
			at = at.after(r, given[r.PostID])
		}
		if !cut && len(found) < asked {
			return p, nil
		}
		if cut && len(p.Posts) > 0 {
			break
		}
		if len(p.Posts) > 0 {
			left -= took
		}
	}
	p.Cursor = at.encode(reader)
	return p, nil
}

// add adds a relation's post, read as doc, and reports whether it could.
func (p *Page) add(r relation, doc *firestore.DocumentSnapshot) bool {
	post, err := postOf(r, doc)
	switch {
	case errors.Is(err, errGone):
	case err != nil:
		p.Damaged = append(p.Damaged, err)
	default:
		p.Posts = append(p.Posts, post)
	}
	return err == nil
}

// relation holds the fields of _relations/{id} that a page needs.
type relation struct {
	id        string
	PostID    string    `firestore:"postId"`
	UserID    string    `firestore:"userId"`
	CreatedAt time.Time `firestore:"createdAt"`
}

// relations returns the reader's next relations, without their followers, which stay in
// Firestore.
func (f *Feed) relations(ctx context.Context, reader string, at cursor, limit int) ([]relation, error) {
	q := Query(f.client, reader).OrderBy(firestore.DocumentID, firestore.Desc).
		Select("postId", "userId", "createdAt").
		Limit(limit)
	if at.relation != "" {
		q = q.StartAfter(at.createdAt, at.relation)
	}
	docs, err := q.Documents(ctx).GetAll()
	if err != nil {
		return nil, err
	}
	found := make([]relation, len(docs))
	for i, doc := range docs {
		found[i].id = doc.Ref.ID
		if err := doc.DataTo(&found[i]); err != nil {
			return nil, fmt.Errorf("%s/%s is damaged: %w", names.Relations, doc.Ref.ID, err)
		}
		if len(doc.Ref.ID) > maxRelationID {
			return nil, fmt.Errorf("%s/%s is not a relation: its id is too long", names.Relations, doc.Ref.ID)
		}
	}
	return found, nil
}

// want reports whether a relation's post must be read: it was not returned yet, and its
// id is valid.
func (f *Feed) want(r relation, at cursor, given map[string]bool) bool {
	return !given[r.PostID] && !at.hasShown(postPart(r.id), r.CreatedAt) && schema.CheckID(r.PostID) == nil
}

// wanted returns the posts to read, in the order of their relations, each once.
func (f *Feed) wanted(found []relation, at cursor, given map[string]bool) []*firestore.DocumentRef {
	var refs []*firestore.DocumentRef
	asked := map[string]bool{}
	for _, r := range found {
		if f.want(r, at, given) && !asked[r.PostID] {
			asked[r.PostID] = true
			refs = append(refs, f.client.Collection(f.names.Posts).Doc(r.PostID))
		}
	}
	return refs
}

// posts reads posts by name in one call, if they take at most left bytes. Otherwise it
// reads the first half, quarter … of them, as many as fit. If one is true, it reads at
// least one post, whatever its size. found includes posts that do not exist, and took
// is the number of bytes received.
func (f *Feed) posts(ctx context.Context, refs []*firestore.DocumentRef, left int, one bool) (found map[string]*firestore.DocumentSnapshot, took int, err error) {
	for n := len(refs); n > 0; n /= 2 {
		if n == 1 && one {
			left = pageBytes // a document has at most 1 MiB
		}
		limited, ceiling := wire.WithCeiling(ctx, left)
		docs, err := f.client.GetAll(limited, refs[:n])
		if errors.Is(err, wire.ErrTooLarge) {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		found := make(map[string]*firestore.DocumentSnapshot, n)
		for _, doc := range docs {
			found[doc.Ref.ID] = doc
		}
		return found, ceiling.Received(), nil
	}
	return nil, 0, nil
}
