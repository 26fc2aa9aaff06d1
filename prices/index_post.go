package prices

// Post returns the cost of a new post.
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
			direct = 0 // only the first page has the direct relation
		}
		return c
	}))
}

// Edit returns the cost of an edit of a field that relations copy, other than createdAt. An edit of other
// fields costs its own write, and the call that finds nothing to do.
func (x Index) Edit(k int) Counts {
	c := clientWrite.Plus(event)
	if x.Off {
		return c
	}
	refresh := work{each: writes(1), transaction: readPost, size: x.Planned.Refresh}
	return c.Plus(readAuthor(k), x.change(k, refresh, readPost.Plus(readAuthor(k))))
}

// Delete returns the cost of deleting a post without comments and likes.
func (x Index) Delete(k int) Counts { return x.drop(k).Plus(nothingBelow) }

// nothingBelow is the cost of looking for comments and for likes of a deleted post, and finding none.
var nothingBelow = query(0).Plus(query(0))

// drop returns the cost of deleting a post's relations, when the post is deleted or hidden.
func (x Index) drop(k int) Counts {
	c := clientDelete.Plus(event)
	if x.Off {
		return c
	}
	if k+x.directRelations() > x.InlineLimit {
		c = c.Plus(readAuthor(k)) // to split the index documents into ranges
	}
	return c.Plus(x.change(k, work{each: deletes(1), transaction: readPost, size: x.Planned.Drop}, readPost))
}

// change returns the cost of reading a post's relations and doing work on each, in a handler or in jobs.
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

// CommentsByJob returns the cost of deleting n comments, more than a handler deletes. A page of the job
// deletes x.Chunk comments. Its last page looks for likes.
func (x Index) CommentsByJob(n int) Counts {
	return query(x.InlineLimit+1).Plus(jobOnce, pages(n, x.Chunk, Comments), query(0))
}

// directRelations returns 1 if a post has a direct relation, and 0 if it has none.
func (x Index) directRelations() int {
	if x.Recipients > 0 || x.OwnPosts {
		return 1
	}
	return 0
}

// createDirect returns the cost of writing the direct relation, if there is one. The transaction reads the
// post, and checks for a block by each recipient.
func (x Index) createDirect() Counts {
	return readPost.Plus(reads(x.Recipients), writes(1)).Times(float64(x.directRelations()))
}

// jobs returns the cost of the jobs over k index documents, one job for each range. of returns the cost
// of one job over a number of documents after its start, in one step. The first job has the direct relation.
func (x Index) jobs(k int, of func(documents, direct int) Counts) (c Counts) {
	direct := x.directRelations()
	for from := 0; from == 0 || from < k; from += x.Planned.Range {
		c = c.Plus(jobOnce, of(min(x.Planned.Range, k-from), direct))
		direct = 0
	}
	return c
}

// readAuthor returns the cost of finding an author's index documents. The user document names them. A read by
// name checks that there is none after the last one. If the user document names none, a query looks for any.
func readAuthor(k int) Counts {
	if k == 0 {
		return readUser.Plus(query(0))
	}
	return readUser.Plus(readIndex)
}

// firstLook returns the cost of reading a post's relations: at most one more than a handler may write.
func (x Index) firstLook(k int) Counts { return query(min(k, x.InlineLimit+1)) }
