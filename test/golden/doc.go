// Package golden compares all documents that the functions leave after a fixed sequence of clients' operations
// with a file, for each form of feeds. A change of the code that changes no document changes no file. One that
// does shows here what it changes, and its commit says why. Write the files anew with
//
//	go test -tags long ./test/golden -run Golden -update
//
// It also opens a database that an earlier version wrote, and repairs it.
package golden
