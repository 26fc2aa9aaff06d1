// Package bench measures the relation index on the Firestore emulator, beside simpler designs in the
// same run. It counts on the wire, and takes times from the clock of that run. Compare numbers of one
// run with each other. Absolute times depend on the machine.
//
//	make bench
package bench
