// Package scale measures the relation index at its largest: a post to 20,000,000 followers. It
// compares that with the minimum of any implementation, in the same run on the same emulator.
//
//	make bench-scale
//
// It also measures verify and repair of an author with 1,000,000 followers. For 20,000,000 followers,
// it compares the comparison of index documents and relations with a loop that only reads the same
// documents. Use -followers for a smaller author:
//
//	go test ./bench/scale -run '^$' -bench Verify -benchtime 1x -followers 100000
//
// BenchmarkTimelines measures a post to -readers followers in each form of timelines, beside a bare
// loop with the same reads and writes. Times of a busy machine mean little, so it also compares
// processor time.
//
//	go test ./bench/scale -run '^$' -bench Timelines -benchtime 1x -readers 10000
//
// The functions are processes of their own, connected directly to the emulator. So their memory can be
// read, and they can be killed. Compare numbers of one run with each other. results/scale.txt has one
// whole run.
package scale
