// Package designs has the two deliveries of this project and the usual way without
// functions behind one small interface, so that one workload goes through all three on the
// same emulator in the same run, each metered:
//
//   - the relation index: package relations;
//   - fan-out on write: package timelines, a document for each follower for each post;
//   - fan-out on read: the reader asks for the posts of those they follow, thirty at a time.
//
// The first two are the functions as they are deployed, behind real triggers. The last is as
// cheap as it can be made without becoming something else.
//
// Compare operations, and the times of writes. The emulator answers queries by
// looking at every document, so how long a feed takes to read here says nothing
// about production for any of the three; no time of a feed is reported.
package designs
