package cost

import "example.com/relationindex/chunker"

// Post is a new post.
func (x Index) Post(k int) Counts {
	c := clientWrite.plus(event, readPost, readAuthor(k), query(0))
	if k <= x.InlineLimit {
		return c.plus(x.create(k))
	}
	return c.plus(x.job(k, func(lane int) Counts {
		return sum(cut(lane, min(x.Chunk, x.Planned.Copies)), func(page int) Counts {
			return readPost.plus(readAuthor(k), query(0), x.create(page), jobWrite)
		})
	}))
}

// Edit is an edit of a field that relations copy, other than createdAt. Another
// edit costs its own write, and the call that finds nothing to do.
func (x Index) Edit(k int) Counts {
	c := clientWrite.plus(event, readPost, readAuthor(k), x.firstLook(k))
	if k <= x.InlineLimit {
		return c.plus(again(k, x.Planned.Refresh), writes(k))
	}
	return c.plus(x.job(k, func(lane int) Counts {
		return sum(walk(lane, x.Chunk), func(page int) Counts {
			return readPost.plus(readAuthor(k), query(page), again(page, x.Planned.Refresh), writes(page), jobWrite)
		})
	}))
}

// Delete is the deletion of a post.
func (x Index) Delete(k int) Counts {
	c := clientDelete.plus(event, readPost, x.firstLook(k))
	if k <= x.InlineLimit {
		return c.plus(again(k, x.Planned.Drop), deletes(k))
	}
	c = c.plus(readAuthor(k)) // for the lanes
	return c.plus(x.job(k, func(lane int) Counts {
		return sum(walk(lane, x.Chunk), func(page int) Counts {
			return readPost.plus(query(page), again(page, x.Planned.Drop), deletes(page), jobWrite)
		})
	}))
}

// job is a job over k index documents, in lanes if they are many. work is what a
// lane of so many does after its start, in one step.
func (x Index) job(k int, work func(lane int) Counts) Counts {
	lanes := min(chunker.MaxLanes, parts(k, x.Planned.Lane))
	if lanes == 1 {
		return jobStart.plus(work(k))
	}
	c := jobWrite // the parent
	for n := range lanes {
		lane := (n+1)*k/lanes - n*k/lanes
		c = c.plus(jobStart, work(lane), laneReport)
	}
	return c
}

// readAuthor finds out which index documents an author has: it asks for the one
// after the last that the user document names, or for any where it names none.
func readAuthor(k int) Counts {
	if k == 0 {
		return readUser.plus(query(0))
	}
	return readUser.plus(readIndex)
}

// firstLook reads a post's relations, as many as a handler may write and one more.
func (x Index) firstLook(k int) Counts { return query(min(k, x.InlineLimit+1)) }

// create copies k index documents, in transactions that read the post.
func (x Index) create(k int) Counts {
	return readIndex.times(float64(k)).plus(again(k, x.Planned.Create), writes(k))
}

// again is reading the post in each of the transactions that write k relations,
// so many at a time.
func again(k, perTransaction int) Counts { return readPost.times(float64(parts(k, perTransaction))) }

func sum(pages []int, of func(page int) Counts) (c Counts) {
	for _, page := range pages {
		c = c.plus(of(page))
	}
	return c
}
