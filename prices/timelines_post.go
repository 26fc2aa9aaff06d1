package prices

import "example.com/relationindex/schema"

// delivery describes the work for one event of a post.
type delivery struct {
	have      Readers // readers with an entry; none for a new post
	change    func(Readers) Counts
	stays     bool // the entries stay after the change
	named     Readers
	followers Readers
	add       func(r Readers, changed bool) Counts // brings the post to named and followers; nil: the post is for nobody
	edited    bool                                 // only copied fields have changed: nobody new gets the post
}

// Post returns the cost of a new post for an audience's followers, and for other people named in it.
func (x Timelines) Post(followers, named Readers) Counts {
	return x.Beside.Post(x.indexDocuments(followers)).Plus(x.deliver(delivery{named: named, followers: followers, add: x.add}))
}

// Edit returns the cost of an edit of a field that entries copy.
func (x Timelines) Edit(followers, named Readers) Counts {
	return x.Beside.Edit(x.indexDocuments(followers)).Plus(x.deliver(delivery{
		have: followers.plus(named), change: x.edit, stays: true, edited: true,
	}))
}

// EditOfNothing returns the cost of an edit of fields that nothing copies.
func (Timelines) EditOfNothing() Counts { return clientWrite.Plus(event) }

// Delete returns the cost of deleting a post that these readers have.
func (x Timelines) Delete(followers, named Readers) Counts {
	c := x.drop(followers, named).Plus(nothingBelow)
	if followers.All+named.All > x.Beside.InlineLimit { // its job has no owner, and so no query for the owner's next job
		c.Reads--
	}
	return c
}

// drop returns the cost of deleting a post's entries and relations, when the post is deleted or hidden.
func (x Timelines) drop(followers, named Readers) Counts {
	return x.Beside.drop(x.indexDocuments(followers)).Plus(x.deliver(delivery{have: followers.plus(named), change: x.remove}))
}

// Hide returns the cost of an edit that hides a post.
func (x Timelines) Hide(followers, named Readers) Counts {
	return x.drop(followers, named).Plus(clientWrite, Counts{Deletes: -1})
}

// Move returns the cost of giving a post another audience, with timelines alone. The post names nobody. The
// followers of the old audience have the post and lose it, and the followers of the new one get it.
func (x Timelines) Move(from, to Readers) Counts {
	return clientWrite.Plus(event, x.deliver(delivery{have: from, change: x.remove, followers: to, add: x.add}))
}

// Again returns the cost of a second delivery of a new post's event, with timelines alone.
func (x Timelines) Again(followers, named Readers) Counts {
	have, k := followers.plus(named), x.indexDocuments(followers)
	c := event.Plus(readPost, x.Beside.firstLook(have.All))
	if have.All > x.Beside.InlineLimit {
		return c.Plus(readJob)
	}
	if named.All > 0 {
		c = c.Plus(readPost, x.toNamed(named, false, x.addAgain))
	}
	return c.Plus(readAuthor(k), readIndex.Times(float64(k)))
}

// indexDocuments returns the number of index documents of an author with these followers.
func (x Timelines) indexDocuments(followers Readers) int { return Parts(followers.All, x.Capacity) }

// deliver returns the cost of the event of a post. The handler corrects entries, then brings the post to
// the people named in it, then to followers. If there are too many readers, the handler stops, and a job does
// all of the work.
func (x Timelines) deliver(d delivery) Counts {
	limit, k := x.Beside.InlineLimit, x.indexDocuments(d.followers)
	c := readPost.Plus(x.Beside.firstLook(d.have.All))
	if d.change != nil {
		some := d.have.some(limit + 1)
		c = c.Plus(each(some.All, readPost), d.change(some))
	}
	named, brought := d.add, Readers{}
	switch {
	case d.have.All > limit || d.named.All > limit:
	case d.add == nil:
		return c
	default:
		if d.named.All > 0 {
			c = c.Plus(readPost, x.toNamed(d.named, d.change != nil, d.add))
		}
		c, named, brought = c.Plus(readAuthor(k)), x.addAgain, d.named
		switch {
		case d.followers.All > limit:
			c = c.Plus(readIndex.Times(float64(min(k, Parts(limit, x.Capacity)))))
		case d.stays:
			return c.Plus(readIndex.Times(float64(k))) // every follower has the post
		default:
			return c.Plus(x.toFollowers(d, 0, d.followers.All))
		}
	}
	c = c.Plus(jobOnce, x.entries(d, brought))
	if d.edited || d.add == nil {
		return c
	}
	c = c.Plus(readPost, x.toNamed(d.named, d.change != nil, named))
	page := x.Beside.Chunk * timelineFactor
	for from := 0; from == 0 || from < d.followers.All; from += page {
		c = c.Plus(readPost, readAuthor(k), x.toFollowers(d, from, min(from+page, d.followers.All)))
	}
	return c
}

// entries returns the cost of a job's phase that corrects entries. The handler has corrected the first
// entries, and has brought some.
func (x Timelines) entries(d delivery, brought Readers) Counts {
	there, right := d.have.All, d.have.some(x.Beside.InlineLimit+1).All
	if !d.stays {
		there, right = there-right+brought.All, brought.All
	}
	part := func(n int) Counts {
		wrong := d.have.some(max(0, n-right))
		right = max(0, right-n)
		c := query(n)
		if n > 0 {
			c = c.Plus(readPost)
		}
		if wrong.All > 0 {
			c = c.Plus(each(wrong.All, readPost), d.change(wrong))
		}
		return c
	}
	size := x.Beside.Chunk * timelineFactor
	atOnce := min(size, x.together().edited)
	page := func(n int) Counts {
		listed := walk(n, atOnce)
		if n == size && n%atOnce == 0 { // the page is full: there may be more
			listed = listed[:len(listed)-1]
		}
		var c Counts
		for _, n := range listed {
			c = c.Plus(part(n))
		}
		return c
	}
	var c Counts
	for ; right > 0 && there >= size; there -= size {
		c = c.Plus(page(size))
	}
	return c.Plus(pages(there, size, page))
}

// toNamed returns the cost of bringing a post to the people named in it, except people who block its author.
func (x Timelines) toNamed(named Readers, changed bool, add func(Readers, bool) Counts) Counts {
	if named.All == 0 {
		return Counts{}
	}
	others := named.All
	if x.Beside.OwnPosts { // the author is among the named
		others--
	}
	return each(named.All, readPost).Plus(readUser.Times(float64(others)), readBlock.Times(float64(named.All)), x.decided(named.All), add(named, changed || x.Layout == schema.LayoutDays), x.lifting())
}

// toFollowers returns the cost of bringing a post to the followers from one number to another. It reads the
// index documents of these followers, and of the last follower before them.
func (x Timelines) toFollowers(d delivery, from, to int) (c Counts) {
	if to == 0 {
		return c
	}
	first, last := from/x.Capacity, (to-1)/x.Capacity
	c = readIndex.Times(float64(last - max(0, from-1)/x.Capacity + 1))
	in := func(readers int) Counts {
		return each(readers, readPost.Plus(readIndex)).Plus(x.decided(readers), x.lifting())
	}
	if first == last {
		c = c.Plus(in(to - from))
	} else {
		c = c.Plus(in((first+1)*x.Capacity-from), in(x.Capacity).Times(float64(last-first-1)), in(to-last*x.Capacity))
	}
	return c.Plus(d.add(d.followers.some(to-from), d.change != nil))
}

// each returns the reads of transactions that write to n timelines.
func each(n int, transaction Counts) Counts {
	return transaction.Times(float64(Parts(n, timelineBatch)))
}
