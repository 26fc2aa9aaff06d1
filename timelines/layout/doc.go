// Package layout says in which documents of a reader's timeline entries lie. A [Layout] is
// one of these:
//
//   - [Items] has a document for each entry;
//   - [Buckets] has one for so many entries in order, and with a cap a ring of them;
//   - [Days] has one for each day.
//
// A layout adds, changes and lists entries. It does not know who gets a post: package
// timelines does, in the transactions that it hands to the layout.
package layout
