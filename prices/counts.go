package prices

// Counts holds the billed quantities: documents read, written and deleted, and calls of functions.
// For one operation, they are whole numbers.
type Counts struct {
	Reads       float64 `json:"reads"`
	Writes      float64 `json:"writes"`
	Deletes     float64 `json:"deletes"`
	Invocations float64 `json:"invocations"`
}

// Plus returns the sum of c and others.
func (c Counts) Plus(others ...Counts) Counts {
	for _, o := range others {
		c.Reads += o.Reads
		c.Writes += o.Writes
		c.Deletes += o.Deletes
		c.Invocations += o.Invocations
	}
	return c
}

// Times returns c multiplied by n.
func (c Counts) Times(n float64) Counts {
	return Counts{c.Reads * n, c.Writes * n, c.Deletes * n, c.Invocations * n}
}

func reads(n int) Counts   { return Counts{Reads: float64(n)} }
func writes(n int) Counts  { return Counts{Writes: float64(n)} }
func deletes(n int) Counts { return Counts{Deletes: float64(n)} }

// query returns the cost of a query with n results: at least one read.
func query(n int) Counts { return reads(max(1, n)) }

// counted returns the cost of an aggregation query that counts n documents.
func counted(n int) Counts { return reads(max(1, Parts(n, 1000))) }

// The writes of clients. A document with functions adds an event to each.
var (
	clientWrite  = Counts{Writes: 1}
	clientDelete = Counts{Deletes: 1}
	event        = Counts{Invocations: 1}
)

// Parts returns the number of parts, each of at most size things, that n things need.
func Parts(n, size int) int { return (n + size - 1) / size }

// walk returns the sizes of the pages in a walk over n documents. Only the last page is not full. It
// may be empty.
func walk(n, size int) []int { return append(cut(n-n%size, size), n%size) }

// pages returns the cost of a walk over n documents. All full pages cost the same, so pages calls of at most twice.
func pages(n, size int, of func(page int) Counts) Counts {
	c := of(n % size)
	if n >= size {
		c = c.Plus(of(size).Times(float64(n / size)))
	}
	return c
}

// work is a change of many documents, with several documents in each transaction.
type work struct {
	each        Counts // what the change of each document costs
	transaction Counts // what each transaction reads in addition
	size        int    // documents in a transaction
}

// of returns the cost of the work on n documents.
func (w work) of(n int) Counts {
	return w.each.Times(float64(n)).Plus(w.transaction.Times(float64(Parts(n, w.size))))
}

// walked returns the cost of the work on n documents in a walk. Each page costs page in addition.
func (w work) walked(n, size int, page Counts) Counts {
	return pages(n, size, func(n int) Counts { return page.Plus(query(n), w.of(n)) })
}

// cut returns the sizes of the pages for n things, if n is known beforehand.
func cut(n, size int) []int {
	pages := make([]int, Parts(n, size))
	for i := range pages {
		pages[i] = min(size, n-i*size)
	}
	return pages
}
