// Package scale measures what the relation index does at its largest: a post to
// 20,000,000 followers, beside the least that any implementation must do, in the
// same run on the same emulator.
//
//	make bench-scale
//
// The functions are processes of their own, with nothing between them and the
// emulator, so that their memory can be read and they can be killed. Compare
// numbers of one run with each other; results/scale.txt has one run whole.
package scale
