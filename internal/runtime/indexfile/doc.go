// Package indexfile reads firestore.indexes.json and says what follows from it: which indexes the collections of one
// id have, and how many index entries a document makes in them.
//
// Firestore keeps two kinds of indexes. The automatic ones are of one field each and there without being asked for, but
// where the file's fieldOverrides say otherwise (an exemption); the composites are those that the file lists. A document
// has an entry in an index if it has a value for every field of it.
//
//	file, err := indexfile.Parse(data)
//	file.Automatic("posts", "userId")  // ASCENDING, DESCENDING, CONTAINS
//	file.Composites("_relations")
//	doc := indexfile.NewDocument("posts/p1", fields)
//	indexfile.Sum(file.Entries(doc))   // index entries, their bytes, the largest
//
// Everything here is pure. It is not a client of Firestore's admin API, and does not know vector indexes.
package indexfile
