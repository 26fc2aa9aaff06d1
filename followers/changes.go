package followers

import "example.com/relationindex/schema"

// AppendChange returns the log with c at its end. It drops as many of the oldest
// changes as exceed budget bytes.
func AppendChange(log []schema.Change, c schema.Change, budget int) []schema.Change {
	out := append(append([]schema.Change(nil), log...), c)
	size := 0
	for i := len(out) - 1; i >= 0; i-- {
		if size += out[i].Bytes(); size > budget {
			return out[i+1:]
		}
	}
	return out
}
