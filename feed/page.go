package feed

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"

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

// Page is a part of a feed or a slice, newest post first.
type Page struct {
	Posts []Post `json:"posts"`
	// Cursor is where the next page begins; "" on the last page.
	Cursor string `json:"cursor,omitempty"`
	// Rounds is the number of queries that the page took: one, and one more each time
	// that posts were left out, or came twice.
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
	return f.page(ctx, scope{reader: reader}, relations{f, reader}, limit, from)
}

// Slice is [Feed.Page] for the posts whose field refs contains ref, of any author, as far
// as reader may read them. It also returns [ErrRef].
func (f *Feed) Slice(ctx context.Context, reader, ref string, limit int, from string) (Page, error) {
	if err := CheckRef(ref); err != nil {
		return Page{}, err
	}
	s := scope{reader, ref}
	return f.page(ctx, s, &slice{feed: f, scope: s, readable: map[string]bool{}}, limit, from)
}

func (f *Feed) page(ctx context.Context, s scope, from source, limit int, text string) (Page, error) {
	if limit < 1 || limit > MaxLimit {
		return Page{}, ErrLimit
	}
	at, err := parseCursor(text, s)
	if err != nil {
		return Page{}, err
	}
	p := Page{Posts: []Post{}}
	given := map[string]bool{} // ids of this page's posts
	left := pageBytes
	for p.Rounds < maxRounds && len(p.Posts) < limit {
		p.Rounds++
		missing := limit - len(p.Posts)
		asked := missing
		if p.Rounds > 1 {
			asked *= 2 // each post may have two entries
		}
		found, more, err := from.entries(ctx, at.position, asked)
		if err != nil {
			return Page{}, err
		}
		refs, n := f.wanted(found, at, given, missing)
		found, more = found[:n], more || n < len(found)
		posts, took, err := f.posts(ctx, refs, left)
		if err != nil {
			return Page{}, fmt.Errorf("batch get of posts: %w", err)
		}
		cut := false
		for _, e := range found {
			wanted := want(e, at, given)
			doc, read := posts[e.post]
			if cut = wanted && !read; cut {
				break // the post did not fit
			}
			if wanted {
				given[e.post] = p.add(e, doc, s.reader)
			}
			at = at.after(e, given[e.post])
		}
		if !cut && !more {
			return p, nil
		}
		if cut && len(p.Posts) > 0 {
			break
		}
		if len(p.Posts) > 0 {
			left -= took
		}
	}
	p.Cursor = at.encode(s)
	return p, nil
}

// add adds an entry's post, read as doc, and reports whether it could.
func (p *Page) add(e entry, doc *firestore.DocumentSnapshot, reader string) bool {
	post, err := postOf(e, doc, reader)
	switch {
	case errors.Is(err, errGone):
	case err != nil:
		p.Damaged = append(p.Damaged, err)
	default:
		p.Posts = append(p.Posts, post)
	}
	return err == nil
}

// want reports whether an entry's post must be read: there is one, and it was not
// returned yet.
func want(e entry, at cursor, given map[string]bool) bool {
	return e.post != "" && !given[e.post] && !at.hasShown(e.stem, e.createdAt)
}

// wanted returns the posts to read for the first n entries, in their order, each once: at
// most limit posts, of as many entries as these settle.
func (f *Feed) wanted(found []entry, at cursor, given map[string]bool, limit int) (refs []*firestore.DocumentRef, n int) {
	asked := map[string]bool{}
	for n, e := range found {
		if !want(e, at, given) || asked[e.post] {
			continue
		}
		if len(refs) == limit {
			return refs, n
		}
		asked[e.post] = true
		refs = append(refs, f.client.Collection(f.names.Posts).Doc(e.post))
	}
	return refs, len(found)
}
