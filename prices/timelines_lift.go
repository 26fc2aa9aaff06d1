package prices

// Lifted has the numbers of readers for whom a comment by one account lifts a post.
type Lifted struct {
	Followers int  // of the account
	Audience  int  // followers of the post's audience
	Same      bool // the post's audience is the account
	None      bool // the post has no audience
	Named     int  // people named in the post
	Both      int  // followers of the account who have the post
	Lower     int  // readers of Both for whom no later comment has lifted the post before
}

// Comment returns the cost of a comment that lifts a post, in ranked timelines. It walks the followers of the
// account or of the audience, whichever have fewer index documents.
func (x Timelines) Comment(l Lifted) Counts {
	c := clientWrite.Plus(event, reads(1), readPost)
	if l.None {
		return c.Plus(readPost, readEdge.Times(float64(l.Named)), reads(l.Both), writes(l.Lower))
	}
	k, others := Parts(l.Followers, x.Capacity), Parts(l.Audience, x.Capacity)
	walked, named, plan := l.Followers, 0, readPost
	if !l.Same {
		plan = plan.Plus(readAuthor(k), readAuthor(others))
	}
	byAudience := !l.Same && others < k
	if byAudience {
		walked, named = l.Audience, l.Named
	}
	plan = plan.Plus(readAuthor(Parts(walked, x.Capacity)))
	page := func(from, to int) Counts {
		c := plan
		if to > 0 {
			c = c.Plus(readIndex.Times(float64((to-1)/x.Capacity - max(0, from-1)/x.Capacity + 1)))
		}
		readers := to - from
		if from == 0 {
			readers += named
		}
		if readers == 0 {
			return c
		}
		part := float64(readers) / float64(walked+named)
		c = c.Plus(reads(readers), writes(l.Lower).Times(part))
		if byAudience { // the reads above are of follow edges; the entries of followers come on top
			c = c.Plus(reads(l.Both).Times(part))
		}
		return c
	}
	first := min(walked, x.Beside.InlineLimit)
	if first == walked {
		return c.Plus(page(0, first))
	}
	c = c.Plus(plan, readIndex.Times(float64((first-1)/x.Capacity+1)), jobOnce)
	size := x.Beside.Chunk * timelineFactor
	for from := 0; from < walked; from += size {
		c = c.Plus(page(from, min(walked, from+size)))
	}
	return c
}
