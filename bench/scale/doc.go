// Package scale measures what the relation index does at its largest: a post to
// 20,000,000 followers, beside the least that any implementation must do, in the
// same run on the same emulator.
//
//	make bench-scale
//
// It also measures verify and repair of an author with 1,000,000 followers, and the comparison of index documents with
// relations for 20,000,000, beside a loop that only reads the same documents. -followers=100000 is a smaller one:
//
//	go test ./bench/scale -run '^$' -bench Verify -benchtime 1x -followers 100000
//
// BenchmarkTimelines is a post to -readers followers in each form of timelines, beside a bare loop that reads and writes
// the same. Times of a busy machine say little: it also compares processor time.
//
//	go test ./bench/scale -run '^$' -bench Timelines -benchtime 1x -readers 10000
//
// The functions are processes of their own, with nothing between them and the
// emulator, so that their memory can be read and they can be killed. Compare
// numbers of one run with each other; results/scale.txt has one run whole.
package scale
