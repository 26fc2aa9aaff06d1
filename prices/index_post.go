package prices

// Post is a new post.
func (x Index) Post(k int) Counts {
	if x.Off {
		return clientWrite.Plus(event)
	}
	d := x.directRelations()
	c := clientWrite.Plus(event, readPost, readAuthor(k), query(0))
	if k+d <= x.Planned.Inline {
		return c.Plus(x.create(k), x.createDirect(d))
	}
	return c.Plus(x.job(k, func(documents, direct int) Counts {
		var work Counts
		for _, page := range cut(documents+direct, min(x.Chunk, x.Planned.Copies)) {
			work = work.Plus(readPost, readAuthor(k), query(0), x.create(page-direct), x.createDirect(direct))
			direct = 0 // it is in the first
		}
		return work
	}))
}

// Edit is an edit of a field that relations copy, other than createdAt. Another
// edit costs its own write, and the call that finds nothing to do.
func (x Index) Edit(k int) Counts {
	if x.Off {
		return clientWrite.Plus(event)
	}
	relations := k + x.directRelations()
	c := clientWrite.Plus(event, readPost, readAuthor(k), x.firstLook(relations))
	if relations <= x.InlineLimit {
		return c.Plus(again(relations, x.Planned.Refresh), writes(relations))
	}
	return c.Plus(x.job(k, func(documents, direct int) Counts {
		return sum(walk(documents+direct, x.Chunk), func(page int) Counts {
			return readPost.Plus(readAuthor(k), query(page), again(page, x.Planned.Refresh), writes(page))
		})
	}))
}

// Delete is the deletion of a post without comments.
func (x Index) Delete(k int) Counts { return x.drop(k).Plus(Comments(0)) }

// Comments is what the deletion of a post costs for n comments that a handler deletes.
func Comments(n int) Counts {
	if n == 0 {
		return query(0)
	}
	return query(n).Plus(readPost, deletes(n))
}

// CommentsByJob is the same for more than a handler deletes. A page deletes x.Chunk.
func (x Index) CommentsByJob(n int) Counts {
	return query(x.InlineLimit+1).Plus(jobOnce, sum(walk(n, x.Chunk), func(page int) Counts {
		if page == 0 {
			return query(0)
		}
		return Comments(page)
	}))
}

// drop takes a post's relations away, when it is deleted or hidden.
func (x Index) drop(k int) Counts {
	if x.Off {
		return clientDelete.Plus(event)
	}
	relations := k + x.directRelations()
	c := clientDelete.Plus(event, readPost, x.firstLook(relations))
	if relations <= x.InlineLimit {
		return c.Plus(again(relations, x.Planned.Drop), deletes(relations))
	}
	c = c.Plus(readAuthor(k)) // for the ranges
	return c.Plus(x.job(k, func(documents, direct int) Counts {
		return sum(walk(documents+direct, x.Chunk), func(page int) Counts {
			return readPost.Plus(query(page), again(page, x.Planned.Drop), deletes(page))
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
	return readPost.Plus(reads(x.Recipients), writes(1)).Times(float64(direct))
}

// job is the jobs over k index documents, one for each range. work is what one over so many
// documents does after its start, in one step. The direct relation is the first one's.
func (x Index) job(k int, work func(documents, direct int) Counts) Counts {
	var c Counts
	direct := x.directRelations()
	for n := range max(1, Parts(k, x.Planned.Range)) {
		c = c.Plus(jobOnce, work(min(x.Planned.Range, k-n*x.Planned.Range), direct))
		direct = 0
	}
	return c
}

// readAuthor finds out which index documents an author has: it asks for the one
// after the last that the user document names, or for any where it names none.
func readAuthor(k int) Counts {
	if k == 0 {
		return readUser.Plus(query(0))
	}
	return readUser.Plus(readIndex)
}

// firstLook reads a post's relations, as many as a handler may write and one more.
func (x Index) firstLook(k int) Counts { return query(min(k, x.InlineLimit+1)) }

// create copies k index documents, in transactions that read the post.
func (x Index) create(k int) Counts {
	return readIndex.Times(float64(k)).Plus(again(k, x.Planned.Create), writes(k))
}

// again is reading the post in each of the transactions that write k relations,
// so many at a time.
func again(k, perTransaction int) Counts { return readPost.Times(float64(Parts(k, perTransaction))) }

func sum(pages []int, of func(page int) Counts) (c Counts) {
	for _, page := range pages {
		c = c.Plus(of(page))
	}
	return c
}
