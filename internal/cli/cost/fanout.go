package cost

// FanOutOnWrite is what operations cost where users/{reader}/feed/{post} is a
// copy of each post, as the usual tutorial has it. It assumes that nothing fails, and that
// the followers of any author fit one function call. [Timelines] does without that.
type FanOutOnWrite struct {
	Backfill int  // posts of an author that a new follower gets
	Direct   int  // readers of a post who do not follow: recipients, and the author if own posts are shown
	Closed   bool // a follow is asked for, and accepted by the author
}

// listPage is how many followers fan-out on write lists in one query.
const listPage = 5000

// Follow is a follow of an author with n posts.
func (d FanOutOnWrite) Follow(n int) Counts {
	n = min(n, d.Backfill)
	return clientFollow(d.Closed).Plus(event, query(n), writes(n))
}

// Unfollow is the end of a follow, with n of the author's posts in the feed.
func (FanOutOnWrite) Unfollow(n int) Counts {
	return clientDelete.Plus(event, query(n), deletes(n))
}

// Post is a new post of an author with f followers. An edit costs the same.
func (d FanOutOnWrite) Post(f int) Counts {
	return clientWrite.Plus(event, listFollowers(f), writes(f+d.Direct))
}

// Delete is the deletion of a post.
func (d FanOutOnWrite) Delete(f int) Counts {
	return clientDelete.Plus(event, listFollowers(f), deletes(f+d.Direct))
}

// listFollowers ends with the page that is not full.
func listFollowers(f int) Counts {
	if f%listPage == 0 {
		return reads(f).Plus(query(0))
	}
	return reads(f)
}

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
