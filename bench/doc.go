// Package bench measures the relation index on the Firestore emulator, beside
// simpler designs in the same run. Everything that it prints is counted on the
// wire or taken from the clock of that run: compare numbers of one run with
// each other, and leave absolute times to the machine that they come from.
//
//	make bench
package bench
