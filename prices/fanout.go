package prices

// FanOutOnRead is what operations cost where readers merge the posts of those
// they follow: bench/designs has the code. It needs no functions.
type FanOutOnRead struct {
	// CachedFollowing says that the reader's device knows whom they follow, and
	// does not read it for each feed.
	CachedFollowing bool
	Direct          int  // further queries of a page: for posts to the reader, and for the reader's own
	Closed          bool // a follow is asked for, and accepted by the author
}

// InLimit is the most authors that one query may name.
const InLimit = 30

// Follow is a follow.
func (d FanOutOnRead) Follow() Counts { return clientFollow(d.Closed) }

// Unfollow is the end of a follow.
func (FanOutOnRead) Unfollow() Counts { return clientDelete }

// Post is a new post. An edit costs the same.
func (FanOutOnRead) Post() Counts { return clientWrite }

// Delete is the deletion of a post.
func (FanOutOnRead) Delete() Counts { return clientDelete }

// FeedPage is a page of a reader who follows so many authors; each thirty of
// them have posts enough to fill the page, of which all but one page is thrown away.
func (d FanOutOnRead) FeedPage(following, posts int) Counts {
	c := query(posts).Times(float64(Parts(following, InLimit) + d.Direct))
	if !d.CachedFollowing {
		c = c.Plus(query(following))
	}
	return c
}
