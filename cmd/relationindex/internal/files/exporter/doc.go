// Package exporter writes follows and posts into text files that package importer reads:
//
//	# follower,followed,createdAt
//	bob,alice,2026-11-24T17:00:00Z
//
// It reads documents in the order of their names, as they all were at one moment, which is
// a later one every [maxAge]: Firestore reads the past of an hour only. A document that no
// line can hold is reported, and left out. Memory is constant, and it writes nothing to the
// database.
package exporter
