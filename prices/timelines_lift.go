package prices

// Lifted are those for whom a comment lifts a post, of one account.
type Lifted struct {
	Followers int  // of the account
	Audience  int  // followers of the post's audience
	Same      bool // the post's audience is the account
	None      bool // the post has no audience
	Named     int  // by the post
	Both      int  // of the account's followers have the post
	Lower     int  // of these, where a later comment has not lifted it before
}

// Comment is a comment that lifts a post, in ranked timelines.
func (x Timelines) Comment(accounts ...Lifted) Counts {
	c := clientWrite.Plus(event, reads(1), readPost)
	for _, l := range accounts {
		c = c.Plus(x.lift(l))
	}
	return c
}

// lift walks the side with fewer index documents.
func (x Timelines) lift(l Lifted) Counts {
	walked, named, other := l.Followers, 0, false
	plan := readPost
	if l.None {
		return plan.Plus(readEdge.Times(float64(l.Named)), reads(l.Both), writes(l.Lower))
	}
	if !l.Same {
		k, others := Parts(l.Followers, x.Capacity), Parts(l.Audience, x.Capacity)
		plan = plan.Plus(readAuthor(k), readAuthor(others))
		if other = others < k; other {
			walked, named = l.Audience, l.Named
		}
	}
	plan = plan.Plus(readAuthor(Parts(walked, x.Capacity)))
	look := func(from, to int) Counts {
		if to == 0 {
			return plan
		}
		return plan.Plus(readIndex.Times(float64((to-1)/x.Capacity - max(0, from-1)/x.Capacity + 1)))
	}
	page := func(from, to int) Counts {
		share := float64(to - from)
		if from == 0 {
			share += float64(named)
		}
		if share == 0 {
			return look(from, to)
		}
		part := share / float64(walked+named)
		if !other {
			return look(from, to).Plus(reads(to-from), writes(l.Lower).Times(part))
		}
		return look(from, to).Plus(readEdge.Times(share), reads(l.Both).Times(part), writes(l.Lower).Times(part))
	}
	first := min(walked, x.Beside.InlineLimit)
	if first == walked {
		return page(0, first)
	}
	c := look(0, first).Plus(jobOnce)
	for from := 0; from < walked; {
		to := min(walked, from+x.Beside.Chunk*timelineFactor)
		c, from = c.Plus(page(from, to)), to
	}
	return c
}
