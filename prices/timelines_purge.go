package prices

// Account is an account with timelines that follows nobody. No request, group, or post of another account
// names it.
type Account struct {
	Followers int
	Posts     int
	Entries   Readers // documents of other accounts' timelines with entries of this account
	Own       int     // documents of its own timeline
}

// The parts of a purge, as in index.go.
var (
	// The tombstone, the mark, the receipt, and the phases that find nothing, except the phases below. A TTL policy deletes the
	// mark later.
	purgeRest = Counts{Reads: 55, Writes: 10, Invocations: 8}
	// The account (to check that it is still deleted), the mark, and the job (to check its lease).
	readAccount = readJob.Plus(readUser, reads(1))
)

// Purge returns the cost of deleting an account, with timelines alone, after deletions of other accounts.
// The events of removed followers share reads, and may remove entries before the job does. In that case,
// the purge costs some reads less.
func (x Timelines) Purge(a Account) Counts {
	c := clientDelete.Plus(event, purgeRest)
	phase := func(n int, page func(n int) Counts) {
		c = c.Plus(counted(n), pages(n, x.Beside.Chunk, func(n int) Counts {
			c := query(n)
			if n > 0 {
				c = c.Plus(readAccount, page(n))
			}
			return c
		}))
	}
	phase(a.Followers, func(n int) Counts {
		return each(n, readJob).Plus(deletes(2*n), event.Plus(membersReads).Times(float64(n)))
	})
	phase(a.Entries.All, func(n int) Counts {
		return x.without(a.Entries.some(n), float64(a.Followers), readJob).Plus(query(n).Times(-1))
	})
	phase(a.Own, deletes)
	phase(a.Posts, func(n int) Counts {
		gone := event.Plus(readPost, query(0), nothingBelow)
		return readJob.Plus(gone, deletes(1)).Times(float64(n))
	})
	k := Parts(a.Followers, x.Capacity)
	return c.Plus(reads(max(0, k-1)), deletes(k))
}
