package followers

// Batches splits followers into parts that each fit a transaction.
func Batches(followers []string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		for from, n := 0, 1; n <= len(followers); n++ {
			if n == len(followers) || !fitsBatch(followers[from:n], followers[n]) {
				if !yield(followers[from:n]) {
					return
				}
				from = n
			}
		}
	}
}
