// Package designs has the relation index and the two usual ways to build
// follower feeds in Firestore behind one small interface, so that one workload
// goes through all three on the same emulator in the same run, each metered:
//
//   - fan-out on write: a document for each follower for each post;
//   - fan-out on read: the reader asks for the posts of those they follow, thirty at a time;
//   - the relation index: the functions of this project behind real triggers.
//
// The first two are complete and as cheap as they can be made without becoming
// something else, and they assume what the relation index does not: that nothing
// fails, that events come once and in order, and that the followers of any
// author fit one call. What they would need for that comes on top of their counts.
//
// Compare operations, and the times of writes. The emulator answers queries by
// looking at every document, so how long a feed takes to read here says nothing
// about production for any of the three; no time of a feed is reported.
package designs
