package feed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/readers"
)

const (
	// MaxLimit is the most posts of a page, as in the rules for clients that query the
	// relations themselves.
	MaxLimit = 50

	// maxRounds is the most queries of a page: the first, and those that replace posts
	// that were left out.
	maxRounds = 5

	// maxPassed is the most posts of a slice that a page reads after its first query, in equal parts, while queries find no
	// post for the reader. Anybody may refer to anything in posts for few people, or for nobody.
	maxPassed = 1000

	// pageBytes is the most bytes of posts in a page, as Firestore sends them: four posts of the largest size, or
	// thousands of usual posts. A page ends early, with a cursor, before it would exceed pageBytes.
	pageBytes = 4 << 20
)

// ErrLimit is the error for a limit that is not 1 to [MaxLimit].
var ErrLimit = fmt.Errorf("limit must be 1 to %d", MaxLimit)

// reading is a page while it is being read.
type reading struct {
	feed *Feed
	scope
	from   source
	blocks *blocks // nil for a slice and a timeline: blocks do not count there, or have taken their posts
	at     cursor
	since  time.Time // pull's list of followed accounts is at least as new
	newer  time.Time // sources return only entries that are newer; zero: all
	ended  bool      // relations have ended, and pull continues after their entries
	page   Page
}

// ErrSource is the error for the source timeline without timelines.
var ErrSource = errors.New("there are no timelines: RELATIONINDEX_FEEDS has no items, buckets or days")

// read reads a page from a source; "": as the cursor says.
func (f *Feed) read(ctx context.Context, s scope, limit int, text, source string) (Page, error) {
	if limit < 1 || limit > MaxLimit {
		return Page{}, ErrLimit
	}
	r, err := f.begin(ctx, s, text, source, time.Time{})
	if err != nil {
		return Page{}, err
	}
	if err := r.fill(ctx, limit); err != nil {
		return Page{}, err
	}
	if r.page.Source == SourceTimeline && text == "" && f.opts.ReaderSettings {
		err = r.countUnread(ctx)
	}
	return r.page, err
}

// begin chooses the source of a page of entries newer than a time. Pull and timelines reject a cursor of another source.
func (f *Feed) begin(ctx context.Context, s scope, text, source string, newer time.Time) (*reading, error) {
	at, err := f.keys.open(ctx, text, s)
	if err != nil {
		return nil, err
	}
	r := &reading{feed: f, scope: s, at: at, since: at.since, newer: newer}
	look := &blocks{feed: f, reader: s.reader, known: map[string]bool{}}
	switch {
	case s.ref != "":
		r.from, r.page.Source = &slice{feed: f, scope: s, newer: newer, readable: map[string]bool{}}, SourceSlice
	case source == SourcePull && text != "" && !at.pulled(), source == SourceTimeline && text != "" && !at.own:
		return nil, fmt.Errorf("%w: the cursor is of another source", ErrCursor)
	case source == SourceTimeline, at.own, text == "" && source == "" && !f.opts.Relations():
		if f.layout == nil {
			return nil, ErrSource
		}
		r.at.own = true
		r.from, r.page.Source = timeline{f, s.reader, newer}, SourceTimeline
	case source == SourcePull || at.pulled():
		r.blocks = look
		if err := r.pull(ctx); err != nil {
			return nil, err
		}
	default:
		r.blocks = look
		if text != "" {
			r.since = f.follows.now() // a cached list may be older than the first page
		}
		r.from, r.page.Source = relations{f, s.reader, newer}, SourceRelations
	}
	return r, nil
}

// countUnread counts the posts of the page that the reader has not seen.
func (r *reading) countUnread(ctx context.Context) error {
	docs, err := r.feed.get(ctx, []*firestore.DocumentRef{r.feed.database().LastRead(r.reader)})
	if err != nil {
		return fmt.Errorf("read the last-read time of the reader: %w", err)
	}
	readAt := readers.ReadAt(docs[0])
	if readAt.IsZero() {
		return nil
	}
	count := 0
	for _, post := range r.page.Posts {
		if post.CreatedAt.After(readAt) {
			count++
		}
	}
	r.page.Unread = &Unread{count, count == len(r.page.Posts) && r.page.Cursor != ""}
	return nil
}

// pull makes pull the source of the rest of the page.
func (r *reading) pull(ctx context.Context) error {
	follows, err := r.feed.follows.of(ctx, r.reader, r.since)
	if err != nil {
		return fmt.Errorf("read the reader's follows: %w", err)
	}
	r.from = &pull{feed: r.feed, reader: r.reader, follows: follows, newer: r.newer}
	r.page.Source, r.page.LeftOut = SourcePull, follows.leftOut
	if !r.at.pulled() {
		r.at = r.at.pull(follows.asOf)
	}
	return nil
}

// entries returns the next entries, without those of pull that blocks leave out. Where relations end, pull continues.
func (r *reading) entries(ctx context.Context, limit int) (found []entry, more bool, err error) {
	if !r.ended {
		found, more, err = r.from.entries(ctx, r.at.position, limit)
	}
	if errors.Is(err, errHorizon) {
		r.ended, more, err = true, true, nil
	}
	if r.ended && len(found) == 0 {
		r.ended = false
		if err = r.pull(ctx); err == nil {
			found, more, err = r.from.entries(ctx, r.at.position, limit)
		}
	}
	if err == nil && r.page.Source == SourcePull {
		err = r.blocks.leaveOut(ctx, found)
	}
	return found, more, err
}

// fill adds at most limit posts to the page.
func (r *reading) fill(ctx context.Context, limit int) error {
	p := &r.page
	p.Posts = []Post{}
	given := map[string]bool{} // ids of this page's posts
	left := pageBytes
	barren := false // the last query of a slice found no post for the reader
	for p.Rounds < maxRounds && len(p.Posts) < limit {
		p.Rounds++
		missing := limit - len(p.Posts)
		asked := missing
		if p.Rounds > 1 {
			asked *= 2 // each post may have two entries
		}
		if barren {
			asked = maxPassed / (maxRounds - 1)
		}
		found, more, err := r.entries(ctx, asked)
		if err != nil {
			return err
		}
		refs, n := r.wanted(found, given, missing)
		found, more = found[:n], more || n < len(found)
		posts, took, err := r.posts(ctx, found, refs, left)
		if err != nil {
			return err
		}
		cut := false
		for _, e := range found {
			wanted := want(e, r.at, given)
			doc, read := posts[e.post]
			if cut = wanted && !read; cut {
				break // the post did not fit
			}
			if wanted {
				given[e.post] = p.add(e, doc, r)
			}
			r.at = r.at.after(e, given[e.post])
		}
		if !cut && !more {
			return nil
		}
		if cut && len(p.Posts) > 0 {
			break
		}
		if len(p.Posts) > 0 {
			left -= took
		}
		barren = r.ref != "" && len(p.Posts) == limit-missing
	}
	var err error
	p.Cursor, err = r.feed.keys.seal(ctx, r.at, r.scope)
	return err
}

// posts reads the posts of entries, as [Feed.posts] does, and looks up the blocks that apply to them.
func (r *reading) posts(ctx context.Context, found []entry, refs []*firestore.DocumentRef, left int) (posts map[string]*firestore.DocumentSnapshot, took int, err error) {
	posts, took, err = r.feed.posts(ctx, refs, left)
	if err != nil {
		return nil, 0, fmt.Errorf("batch get of posts: %w", err)
	}
	if r.blocks != nil {
		err = r.blocks.lookAt(ctx, found, posts)
	}
	return posts, took, err
}

// add adds an entry's post, read as doc, and reports whether it could.
func (p *Page) add(e entry, doc *firestore.DocumentSnapshot, r *reading) bool {
	post, err := postOf(e, doc, r.reader, r.blocks)
	switch {
	case errors.Is(err, errGone):
	case err != nil:
		p.Damaged = append(p.Damaged, err)
	default:
		p.Posts = append(p.Posts, post)
	}
	return err == nil
}

// want reports whether an entry's post must be read: the entry has a post, and no page has returned it yet.
func want(e entry, at cursor, given map[string]bool) bool {
	return e.post != "" && !given[e.post] && !at.hasShown(e.stem, e.createdAt)
}

// wanted returns the posts to read, in the order of their entries, each once and at most limit. n is the number of
// entries that need no further reads after these posts.
func (r *reading) wanted(found []entry, given map[string]bool, limit int) (refs []*firestore.DocumentRef, n int) {
	asked := map[string]bool{}
	for n, e := range found {
		if !want(e, r.at, given) || asked[e.post] {
			continue
		}
		if len(refs) == limit {
			return refs, n
		}
		asked[e.post] = true
		refs = append(refs, r.feed.client.Collection(r.feed.names.Posts).Doc(e.post))
	}
	return refs, len(found)
}
