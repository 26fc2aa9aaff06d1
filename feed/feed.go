package feed

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/timelines/layout"
)

// Feed reads the feeds of one database. It is safe for concurrent use.
type Feed struct {
	client   *firestore.Client
	names    names.Collections
	opts     schema.Config
	layout   layout.Layout // of timelines; nil: there are none
	keys     *Keys
	follows  *followsCache
	horizons *schema.Horizons
}

// New returns a Feed on a client that [wire.Open] opened, which stays the caller's.
// With another client, pages of large posts have no bound on memory. New sends no
// requests. keys seal the cursors, as [NewKeys] returns them: then other processes continue where this
// one's pages end. nil: a key that the Feed makes up, for one process that reads all pages.
func New(client *firestore.Client, c schema.Config, keys *Keys) *Feed {
	if keys == nil {
		keys = ownKeys()
	}
	f := &Feed{
		client: client, names: c.Collections(), opts: c, keys: keys,
		horizons: schema.NewHorizons(client, true),
	}
	f.follows = newFollowsCache(client.Collection(f.names.Users))
	if c.Timeline() != "" {
		f.layout = layout.New(c.WithDefaults())
	}
	return f
}

// What a page was read from.
const (
	SourceRelations = "relations"
	SourcePull      = "pull"
	SourceSlice     = "slice"
	SourceTimeline  = "timeline"
)

// Page is a part of a feed or a slice, newest post first.
type Page struct {
	Posts []Post `json:"posts"`
	// Cursor is where the next page begins; "" on the last page.
	Cursor string `json:"cursor,omitempty"`
	// LeftOut is how many more the reader follows than the [MaxFollowed] whose posts pull
	// reads; 0 from other sources.
	LeftOut int64 `json:"leftOut,omitempty"`
	// Unread is how many of the posts the reader has not seen. Only the first page of a timeline
	// has it, if settings are on and the reader says what they have read. That costs a read.
	Unread *Unread `json:"unread,omitempty"`
	// Source is what the page, or its end, was read from.
	Source string `json:"-"`
	// Rounds is how often the page asked its source: once, and once more each time that
	// posts were left out, or came twice.
	Rounds int `json:"-"`
	// Damaged has an error for each post that exists but was left out, because the
	// Firestore library cannot decode it.
	Damaged []error `json:"-"`
}

// Unread counts posts of a page whose entries stand after readAt in users/{reader}/settings/read.
type Unread struct {
	Count int  `json:"count"`
	More  bool `json:"more"` // all are unread, and there may be more on later pages
}

// Page reads at most limit posts of reader's feed, from the cursor of the page before,
// or from the beginning with "". It returns [ErrLimit], [ErrCursor], an error of
// Firestore, or an error that names a damaged relation. You may call it again with the
// same cursor.
//
// A page can have fewer posts than limit and still a cursor: the last page is the one
// without. A page whose posts would exceed 4 MiB, as Firestore sends them, ends early.
// It has at least one post if five queries find one.
//
// A page of relations reads the horizon, in _settings/horizon, at most once a minute and instance: a
// deployment that was interrupted may leave Feed with another configuration than the functions. Where
// posts are older than the horizon, the rest of the page and all pages after it are read
// as by [Feed.Pull]: there too, a follow may take a minute to show up. So are pages with a cursor of Pull. Pages
// with a cursor of [Feed.Timeline] are read as by that, and without relations all pages.
func (f *Feed) Page(ctx context.Context, reader string, limit int, from string) (Page, error) {
	return f.read(ctx, scope{reader: reader}, limit, from, "")
}

// Pull is [Feed.Page] without relations: it reads the posts of those whom reader follows,
// and those that name reader, and merges them. It takes its own cursors alone. It reads
// the first [MaxFollowed] of those followed; [Page.LeftOut] counts the others. A follow
// may take a minute to show up.
//
// It gives the same posts in the same order as Page, less those whose createdAt is not a
// timestamp.
func (f *Feed) Pull(ctx context.Context, reader string, limit int, from string) (Page, error) {
	return f.read(ctx, scope{reader: reader}, limit, from, SourcePull)
}

// Timeline is [Feed.Page] from the reader's timeline, in its order. It takes its own cursors
// alone. It returns [ErrSource] if there are no timelines.
func (f *Feed) Timeline(ctx context.Context, reader string, limit int, from string) (Page, error) {
	return f.read(ctx, scope{reader: reader}, limit, from, SourceTimeline)
}

// Slice is [Feed.Page] for the posts whose field refs contains ref, of any author, as far
// as reader may read them. It also returns [ErrRef].
func (f *Feed) Slice(ctx context.Context, reader, ref string, limit int, from string) (Page, error) {
	if err := CheckRef(ref); err != nil {
		return Page{}, err
	}
	return f.read(ctx, scope{reader, ref}, limit, from, SourceSlice)
}
