// Package work does the same work on many documents, where some are stale, damaged or
// rejected by Firestore, and the others must go on.
package work
