package prices

// Post is a new post.
func (x Index) Post(k int) Counts {
	if x.Off {
		return clientWrite.Plus(event)
	}
	direct := x.directRelations()
	create := work{each: readIndex.Plus(writes(1)), transaction: readPost, size: x.Planned.Create}
	look := readPost.Plus(readAuthor(k), query(0))
	c := clientWrite.Plus(event, look, x.createDirect())
	if k+direct <= x.Planned.Inline {
		return c.Plus(create.of(k))
	}
	return c.Plus(x.jobs(k, func(documents, direct int) (c Counts) {
		for _, page := range cut(documents+direct, min(x.Chunk, x.Planned.Copies)) {
			c = c.Plus(look, create.of(page-direct))
			direct = 0 // it is in the first
		}
		return c
	}))
}

// Edit is an edit of a field that relations copy, other than createdAt. Another
// edit costs its own write, and the call that finds nothing to do.
func (x Index) Edit(k int) Counts {
	c := clientWrite.Plus(event)
	if x.Off {
		return c
	}
	refresh := work{each: writes(1), transaction: readPost, size: x.Planned.Refresh}
	return c.Plus(readAuthor(k), x.change(k, refresh, readPost.Plus(readAuthor(k))))
}

// Delete is the deletion of a post without comments.
func (x Index) Delete(k int) Counts { return x.drop(k).Plus(Comments(0)) }

// drop takes a post's relations away, when it is deleted or hidden.
func (x Index) drop(k int) Counts {
	c := clientDelete.Plus(event)
	if x.Off {
		return c
	}
	if k+x.directRelations() > x.InlineLimit {
		c = c.Plus(readAuthor(k)) // for the ranges
	}
	return c.Plus(x.change(k, work{each: deletes(1), transaction: readPost, size: x.Planned.Drop}, readPost))
}

// change looks at a post's relations and does work on each, in a handler or in jobs.
func (x Index) change(k int, w work, page Counts) Counts {
	relations := k + x.directRelations()
	c := readPost.Plus(x.firstLook(relations))
	if relations <= x.InlineLimit {
		return c.Plus(w.of(relations))
	}
	return c.Plus(x.jobs(k, func(documents, direct int) Counts { return w.walked(documents+direct, x.Chunk, page) }))
}

// Comments returns the cost of deleting a post with n comments that a handler deletes.
func Comments(n int) Counts {
	return query(n).Plus(work{each: deletes(1), transaction: readPost, size: max(1, n)}.of(n))
}

// CommentsByJob is the same for more than a handler deletes. A page deletes x.Chunk.
func (x Index) CommentsByJob(n int) Counts {
	return query(x.InlineLimit+1).Plus(jobOnce, pages(n, x.Chunk, Comments))
}

// directRelations is 1 if a post has a direct relation, and 0 if it has none.
func (x Index) directRelations() int {
	if x.Recipients > 0 || x.OwnPosts {
		return 1
	}
	return 0
}

// createDirect writes the direct relation, if there is one, in a transaction that reads
// the post and looks for a block by each recipient.
func (x Index) createDirect() Counts {
	return readPost.Plus(reads(x.Recipients), writes(1)).Times(float64(x.directRelations()))
}

// jobs are those over k index documents, one for each range. of is what one over so many
// documents does after its start, in one step. The direct relation is the first one's.
func (x Index) jobs(k int, of func(documents, direct int) Counts) (c Counts) {
	direct := x.directRelations()
	for from := 0; from == 0 || from < k; from += x.Planned.Range {
		c = c.Plus(jobOnce, of(min(x.Planned.Range, k-from), direct))
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
