// Package indexfile reads firestore.indexes.json. It returns the indexes of the
// collections of one id, and the index entries of a document in them.
//
// Firestore keeps two kinds of indexes. An automatic index has one field, and exists
// unless the file's fieldOverrides exempt the field. A composite index exists if the
// file lists it. A document has an entry in an index if it has a value for every
// field of the index.
//
//	file, err := indexfile.Parse(data)
//	file.Automatic("posts", "userId")  // ASCENDING, DESCENDING, CONTAINS
//	file.Composites("_relations")
//	doc := indexfile.NewDocument("posts/p1", fields)
//	indexfile.Sum(file.Entries(doc))   // index entries, their bytes, the largest
//
// Everything here is pure. The package is not a client of Firestore's admin API, and does
// not support vector indexes.
package indexfile
