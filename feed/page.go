package feed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/wire"
	"example.com/relationindex/relations"
)

const (
	// MaxLimit is the most posts of a page, as in the rules for clients that
	// query the relations themselves.
	MaxLimit = 50

	// maxRounds is how often a page is filled up, the first query included, when
	// posts were left out.
	maxRounds = 5

	// pageBytes is how many bytes of posts one page takes from Firestore: four
	// posts of the largest, thousands of usual ones. A page that would take more
	// ends early, with a cursor.
	pageBytes = 4 << 20
)

// ErrLimit is the error for a limit that is not 1 to [MaxLimit].
var ErrLimit = fmt.Errorf("limit must be 1 to %d", MaxLimit)

// Feed reads the feeds of one database. It is safe for concurrent use.
type Feed struct {
	client *firestore.Client
	names  relations.Collections
}

// New makes a Feed on a client, which stays the caller's; one that
// [wire.Open] opened, or pages of large posts take the memory that they take.
// It costs no requests.
func New(client *firestore.Client, names relations.Collections) *Feed {
	return &Feed{client: client, names: names.WithDefaults()}
}

// Page is a part of a feed, newest post first.
type Page struct {
	Posts []Post `json:"posts"`
	// Cursor is where the next page begins; "" on the last page.
	Cursor string `json:"cursor,omitempty"`
	// Rounds is how many queries the page took: one, and one more for each time
	// that posts had to be left out.
	Rounds int `json:"-"`
	// Damaged is why posts were left out that are there: the Firestore library
	// cannot decode them.
	Damaged []error `json:"-"`
}

// Page reads at most limit posts of reader's feed, from a cursor that the page
// before had, or from the beginning with "". Its errors are [ErrLimit],
// [ErrCursor] and Firestore's. It may be called again with the same cursor.
//
// A page can have fewer posts than limit and still a cursor: the last page is the
// one without. It ends early before its posts take more than 4 MiB from
// Firestore, but has at least one where there is one.
func (f *Feed) Page(ctx context.Context, reader string, limit int, from string) (Page, error) {
	if limit < 1 || limit > MaxLimit {
		return Page{}, ErrLimit
	}
	at, err := parseCursor(from, reader)
	if err != nil {
		return Page{}, err
	}
	p := Page{Posts: []Post{}}
	given := map[string]bool{} // posts of this page
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
				break // it did not fit
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

// add adds a relation's post, which was read as doc, and says whether it could.
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

// relation is what a page needs of _relations/{id}.
type relation struct {
	id        string
	PostID    string    `firestore:"postId"`
	UserID    string    `firestore:"userId"`
	CreatedAt time.Time `firestore:"createdAt"`
}

// relations are the next of the reader's, without their followers: those stay in
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
			return nil, fmt.Errorf("%s/%s is damaged: %w", relations.Relations, doc.Ref.ID, err)
		}
		if len(doc.Ref.ID) > maxRelationID {
			return nil, fmt.Errorf("%s/%s is none of ours: its id is too long", relations.Relations, doc.Ref.ID)
		}
	}
	return found, nil
}

// want says that a relation's post has to be read: it was not given yet, and can
// be there.
func (f *Feed) want(r relation, at cursor, given map[string]bool) bool {
	return !given[r.PostID] && !at.hasShown(postPart(r.id), r.CreatedAt) && relations.CheckID(r.PostID) == nil
}

// wanted are the posts to read, in the order of their relations, each once.
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

// posts reads posts by name, in one call if they take no more than left bytes,
// else as many of the first as a half, a quarter … of them that does; one post
// whatever it takes, if one is wanted at least. Posts that are not there are
// among what it returns, and took is how many bytes came.
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
