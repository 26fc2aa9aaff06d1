package prices

// Account is an account with timelines that follows nobody, and is named by no post of
// others, request or group.
type Account struct {
	Followers int
	Posts     int
	Entries   Readers // documents of others' timelines that have its entries
	Own       int     // documents of its own timeline
}

// The parts of a purge, as in index.go.
var (
	// The tombstone, the mark and the receipt, and phases that find nothing, other than those below.
	purgeRest = Counts{Reads: 56, Writes: 9, Deletes: 1, Invocations: 8}
	// Is the account back, is there the mark, and has the job its lease?
	readAccount = readJob.Plus(readUser, reads(1))
)

// Purge is the deletion of an account, in timelines alone, where others have been deleted
// before. Events of followers who leave share reads, and may remove entries before the job
// does: then it costs some reads less.
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
		gone := event.Plus(readPost, query(0), Comments(0))
		return readJob.Plus(gone, deletes(1)).Times(float64(n))
	})
	k := Parts(a.Followers, x.Capacity)
	return c.Plus(reads(max(0, k-1)), deletes(k))
}
