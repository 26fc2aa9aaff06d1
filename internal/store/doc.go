// Package store has small additions to the Firestore client: queries that survive an
// interruption, documents that may be missing, and lists of ids.
package store
