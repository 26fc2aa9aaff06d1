package prices

// PullOptions computes the cost of a page that the function Feed reads from posts, without relations: see
// package feed. Each thirty of the followed authors are assumed to have enough posts to fill the page.
type PullOptions struct {
	Filled   bool // every post has its fields audience and hidden: one query for each thirty authors, not two
	OwnPosts bool // the reader's own posts are in the feed
	Named    int  // posts of a page that name the reader
}

// InLimit is the most authors that one query may name.
const InLimit = 30

// MostFollowed is the largest number of followed authors whose posts are in a page. The others are left out, and counted.
const MostFollowed = 1000

// FeedPage returns the cost of a page with this number of posts, for a reader who follows this number of authors.
// The instance has the list of these authors in memory; otherwise [PullOptions.Following] comes on top.
func (p PullOptions) FeedPage(following, posts int) Counts {
	queries := Parts(min(following, MostFollowed), InLimit)
	if !p.Filled {
		queries *= 2
	}
	c := query(posts).Times(float64(queries)).Plus(query(p.Named))
	if p.OwnPosts {
		c = c.Plus(query(0)) // the reader has no posts of their own
	}
	return c.Plus(readPost.Times(float64(posts)), event)
}

// Following returns the cost of reading the authors that a reader follows. An instance keeps them for a minute.
func (p PullOptions) Following(following int) Counts {
	c := query(min(following, MostFollowed))
	if following >= MostFollowed {
		c = c.Plus(counted(following - MostFollowed))
	}
	return c
}
