package cost

// Post is a new post.
func (x Index) Post(k int) Counts {
	c := clientWrite.plus(event, readPost, readAuthor(k), query(0))
	if k <= x.InlineLimit {
		return c.plus(x.create(k))
	}
	c = c.plus(jobStart, readPost, readUser, query(0), jobWrite) // phase relations: there are none
	for _, page := range cut(k, x.Chunk) {
		c = c.plus(readPost, readUser, query(0), x.create(page), jobWrite)
	}
	return c
}

// Edit is an edit of a field that relations copy. Another edit costs its own
// write, and the call that finds nothing to do.
func (x Index) Edit(k int) Counts {
	c := clientWrite.plus(event, readPost, readAuthor(k), x.firstLook(k))
	if k <= x.InlineLimit {
		return c.plus(x.again(k), writes(k))
	}
	c = c.plus(jobStart)
	for _, page := range walk(k, x.Chunk) {
		c = c.plus(readPost, readUser, query(page), x.again(page), writes(page), jobWrite)
	}
	for _, page := range cut(k, x.Chunk) { // phase index documents: nothing is missing
		c = c.plus(readPost, readUser, query(page), jobWrite)
	}
	return c
}

// Delete is the deletion of a post.
func (x Index) Delete(k int) Counts {
	c := clientDelete.plus(event, readPost, x.firstLook(k))
	if k <= x.InlineLimit {
		return c.plus(x.again(k), deletes(k))
	}
	c = c.plus(jobStart)
	for _, page := range walk(k, x.Chunk) {
		c = c.plus(readPost, query(page), x.again(page), deletes(page), jobWrite)
	}
	return c.plus(readPost, jobWrite) // phase index documents: the post is gone
}

// readAuthor finds out which index documents an author has. Where the user
// document names none, they are asked for.
func readAuthor(k int) Counts {
	if k == 0 {
		return readUser.plus(query(0))
	}
	return readUser
}

// firstLook reads a post's relations, as many as a handler may write and one more.
func (x Index) firstLook(k int) Counts { return query(min(k, x.InlineLimit+1)) }

// create copies k index documents, in transactions that read the post.
func (x Index) create(k int) Counts {
	return readIndex.times(float64(k)).plus(x.again(k), writes(k))
}

// again is reading the post in each of the transactions that write k relations.
func (x Index) again(k int) Counts { return readPost.times(float64(parts(k, x.PerTransaction))) }
