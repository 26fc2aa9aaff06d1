package cost

import "example.com/relationindex/chunker"

// Post is a new post.
func (x Index) Post(k int) Counts {
	d := x.directRelations()
	c := clientWrite.plus(event, readPost, readAuthor(k), query(0))
	if k+d <= x.InlineLimit {
		return c.plus(x.create(k), x.createDirect(d))
	}
	return c.plus(x.job(k, func(lane, direct int) (work Counts) {
		for _, page := range cut(lane+direct, min(x.Chunk, x.Planned.Copies)) {
			work = work.plus(readPost, readAuthor(k), query(0), x.create(page-direct), x.createDirect(direct), jobWrite)
			direct = 0 // it is the first
		}
		return work
	}))
}

// Edit is an edit of a field that relations copy, other than createdAt. Another
// edit costs its own write, and the call that finds nothing to do.
func (x Index) Edit(k int) Counts {
	relations := k + x.directRelations()
	c := clientWrite.plus(event, readPost, readAuthor(k), x.firstLook(relations))
	if relations <= x.InlineLimit {
		return c.plus(again(relations, x.Planned.Refresh), writes(relations))
	}
	return c.plus(x.job(k, func(lane, direct int) Counts {
		return sum(walk(lane+direct, x.Chunk), func(page int) Counts {
			return readPost.plus(readAuthor(k), query(page), again(page, x.Planned.Refresh), writes(page), jobWrite)
		})
	}))
}

// Delete is the deletion of a post.
func (x Index) Delete(k int) Counts {
	relations := k + x.directRelations()
	c := clientDelete.plus(event, readPost, x.firstLook(relations))
	if relations <= x.InlineLimit {
		return c.plus(again(relations, x.Planned.Drop), deletes(relations))
	}
	c = c.plus(readAuthor(k)) // for the lanes
	return c.plus(x.job(k, func(lane, direct int) Counts {
		return sum(walk(lane+direct, x.Chunk), func(page int) Counts {
			return readPost.plus(query(page), again(page, x.Planned.Drop), deletes(page), jobWrite)
		})
	}))
}

// directRelations is 1 if a post has a direct relation, and 0 if it has none.
func (x Index) directRelations() int {
	if x.Recipients > 0 || x.OwnPosts {
		return 1
	}
	return 0
}

// createDirect writes so many direct relations, one or none, in a transaction that reads
// the post and looks for a block by each recipient.
func (x Index) createDirect(direct int) Counts {
	return readPost.plus(reads(x.Recipients), writes(1)).times(float64(direct))
}

// job is a job over k index documents, in lanes if they are many. work is what a
// lane of so many does after its start, in one step. The direct relation is the first
// lane's.
func (x Index) job(k int, work func(lane, direct int) Counts) Counts {
	lanes := min(chunker.MaxLanes, parts(k, x.Planned.Lane))
	if lanes == 1 {
		return jobStart.plus(work(k, x.directRelations()))
	}
	c, direct := jobWrite, x.directRelations() // the parent
	for n := range lanes {
		lane := (n+1)*k/lanes - n*k/lanes
		c = c.plus(jobStart, work(lane, direct), laneReport)
		direct = 0
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
