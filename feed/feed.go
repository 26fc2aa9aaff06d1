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

// New returns a Feed on a client that [wire.Open] opened. The caller keeps the client. With another client, pages of
// large posts have no bound on memory. New sends no requests.
//
// keys seal the cursors: see [NewKeys]. With shared keys, other processes continue where this process's pages end. With
// nil keys, the Feed makes up a key: use that if one process reads all pages.
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

// The sources that a page can be read from.
const (
	SourceRelations = "relations"
	SourcePull      = "pull"
	SourceSlice     = "slice"
	SourceTimeline  = "timeline"
)

// Page is a part of a feed or a slice, newest post first.
type Page struct {
	Posts []Post `json:"posts"`
	// Cursor is the place where the next page begins; "" on the last page.
	Cursor string `json:"cursor,omitempty"`
	// LeftOut is the number of followed accounts beyond [MaxFollowed], whose posts pull does not read; 0 from other
	// sources.
	LeftOut int64 `json:"leftOut,omitempty"`
	// Unread is the number of posts that the reader has not seen. Only the first page of a timeline has it, if settings
	// are on and the reader has a readAt. It costs a read.
	Unread *Unread `json:"unread,omitempty"`
	// Source is the source of the page, or of the page's end.
	Source string `json:"-"`
	// Rounds is the number of queries of the source: one, and one more each time that the page lacked posts because
	// some were left out or were duplicates.
	Rounds int `json:"-"`
	// Damaged has an error for each existing post that was left out because the Firestore library cannot decode it.
	Damaged []error `json:"-"`
}

// Unread counts the posts of a page whose entries are newer than readAt in users/{reader}/settings/read.
type Unread struct {
	Count int  `json:"count"`
	More  bool `json:"more"` // all are unread, and there may be more on later pages
}

// Page reads at most limit posts of reader's feed, from the cursor of the page before,
// or from the beginning with "". It returns [ErrLimit], [ErrCursor], an error of
// Firestore, or an error that names a damaged relation. You may call it again with the
// same cursor.
//
// A page can have fewer posts than limit and still have a cursor: only the last page has none. A page ends early if its
// posts would exceed 4 MiB in Firestore's answer. It has at least one post if five queries find one.
//
// A page of relations reads the horizon, in _settings/horizon, at most once a minute and instance: after an interrupted
// deployment, Feed may have another configuration than the functions. If posts are older than the horizon, the rest of
// the page and all later pages are read as by [Feed.Pull]. Then a follow may take a minute to show up.
//
// Pages with a cursor of Pull are read as by Pull, and pages with a cursor of [Feed.Timeline] as by Timeline. Without
// relations, all pages are read as by Timeline.
func (f *Feed) Page(ctx context.Context, reader string, limit int, from string) (Page, error) {
	return f.read(ctx, scope{reader: reader}, limit, from, "")
}

// Pull is [Feed.Page] without relations. It reads the posts of the accounts that reader follows and the posts that name
// reader, and merges them. It accepts only its own cursors. It reads the first [MaxFollowed] followed accounts;
// [Page.LeftOut] counts the others. A follow may take a minute to show up.
//
// Pull returns the same posts in the same order as Page, except posts whose createdAt is not a timestamp.
func (f *Feed) Pull(ctx context.Context, reader string, limit int, from string) (Page, error) {
	return f.read(ctx, scope{reader: reader}, limit, from, SourcePull)
}

// Timeline is [Feed.Page] from the reader's timeline, in the timeline's order. It accepts only its own cursors. It
// returns [ErrSource] if there are no timelines.
func (f *Feed) Timeline(ctx context.Context, reader string, limit int, from string) (Page, error) {
	return f.read(ctx, scope{reader: reader}, limit, from, SourceTimeline)
}

// Slice is [Feed.Page] for the posts by any author whose field refs contains ref, as far as reader may read them. A page
// passes up to 1,000 posts that reader may not read. It also returns [ErrRef].
func (f *Feed) Slice(ctx context.Context, reader, ref string, limit int, from string) (Page, error) {
	if err := CheckRef(ref); err != nil {
		return Page{}, err
	}
	return f.read(ctx, scope{reader, ref}, limit, from, SourceSlice)
}
