package prices

// Counts is what something is billed: documents read, written and deleted, and
// calls of functions. Whole numbers for one operation.
type Counts struct {
	Reads       float64 `json:"reads"`
	Writes      float64 `json:"writes"`
	Deletes     float64 `json:"deletes"`
	Invocations float64 `json:"invocations"`
}

// Plus is the sum.
func (c Counts) Plus(others ...Counts) Counts {
	for _, o := range others {
		c.Reads += o.Reads
		c.Writes += o.Writes
		c.Deletes += o.Deletes
		c.Invocations += o.Invocations
	}
	return c
}

// Times is n of it.
func (c Counts) Times(n float64) Counts {
	return Counts{c.Reads * n, c.Writes * n, c.Deletes * n, c.Invocations * n}
}

func reads(n int) Counts   { return Counts{Reads: float64(n)} }
func writes(n int) Counts  { return Counts{Writes: float64(n)} }
func deletes(n int) Counts { return Counts{Deletes: float64(n)} }

// query is a query with n results: at least one read.
func query(n int) Counts { return reads(max(1, n)) }

// counted is an aggregation query that counts n documents.
func counted(n int) Counts { return reads(max(1, Parts(n, 1000))) }

// What clients do. With functions on the document it is an event too.
var (
	clientWrite  = Counts{Writes: 1}
	clientDelete = Counts{Deletes: 1}
	event        = Counts{Invocations: 1}
)

// Parts is in how many parts of at most size n things are cut.
func Parts(n, size int) int { return (n + size - 1) / size }

// walk are the pages of a walk over n documents: the last is the one that is
// not full, and may be empty.
func walk(n, size int) []int { return append(cut(n-n%size, size), n%size) }

// pages is what a walk over n documents costs, of any number of pages, all alike.
func pages(n, size int, of func(page int) Counts) Counts {
	c := of(n % size)
	if n >= size {
		c = c.Plus(of(size).Times(float64(n / size)))
	}
	return c
}

// work is a change of many documents, some in a transaction.
type work struct {
	each        Counts // what becomes of each
	transaction Counts // what each transaction reads besides
	size        int    // documents in a transaction
}

// of is the work on n documents.
func (w work) of(n int) Counts {
	return w.each.Times(float64(n)).Plus(w.transaction.Times(float64(Parts(n, w.size))))
}

// walked is the same by a walk. Each page reads besides what page says.
func (w work) walked(n, size int, page Counts) Counts {
	return pages(n, size, func(n int) Counts { return page.Plus(query(n), w.of(n)) })
}

// cut are the pages of a list of n things that is known beforehand.
func cut(n, size int) []int {
	pages := make([]int, Parts(n, size))
	for i := range pages {
		pages[i] = min(size, n-i*size)
	}
	return pages
}
