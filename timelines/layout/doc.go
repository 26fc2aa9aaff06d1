// Package layout chooses the documents that hold the entries of a reader's timeline. A [Layout] is
// one of these:
//
//   - [Items] has a document for each entry;
//   - [Buckets] has a document for a fixed number of entries in order, and with a cap a ring of documents;
//   - [Days] has one for each day.
//
// A layout adds, changes and lists entries. Package timelines decides which readers get a post, in the
// transactions that it passes to the layout.
package layout
