package prices

// PullOptions is what a page costs that the function Feed takes from posts, without relations:
// see package feed. Each thirty of those followed have posts enough to fill the page.
type PullOptions struct {
	Filled   bool // every post has its fields audience and hidden: one query for each thirty, not two
	OwnPosts bool // the reader's own posts are in the feed
	Named    int  // posts of a page that name the reader
}

// InLimit is the most authors that one query may name.
const InLimit = 30

// MostFollowed is how many of those whom a reader follows are in a page; the others are
// left out, and counted.
const MostFollowed = 1000

// FeedPage is a page of so many posts of a reader who follows so many, where the instance
// knows whom: [PullOptions.Following] is what it reads otherwise.
func (p PullOptions) FeedPage(following, posts int) Counts {
	queries := Parts(min(following, MostFollowed), InLimit)
	if !p.Filled {
		queries *= 2
	}
	c := query(posts).Times(float64(queries)).Plus(query(p.Named))
	if p.OwnPosts {
		c = c.Plus(query(0)) // the reader has written none
	}
	return c.Plus(readPost.Times(float64(posts)), event)
}

// Following is reading whom a reader follows, which an instance keeps for a minute.
func (p PullOptions) Following(following int) Counts {
	c := query(min(following, MostFollowed))
	if following >= MostFollowed {
		c = c.Plus(counted(following - MostFollowed))
	}
	return c
}
