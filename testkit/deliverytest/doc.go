// Package deliverytest is the conformance suite of [followers.Delivery], which brings posts to their
// readers. Every delivery must pass.
//
//	func TestMain(m *testing.M) { testkit.Main(m) }
//
//	func TestDelivery(t *testing.T) {
//		deliverytest.Suite{Open: func(t *testing.T, p deliverytest.Process) deliverytest.System {
//			db, err := schema.Open(p.Client, schema.Config{InlineLimit: deliverytest.Inline})
//			…
//			graph := followers.New(db, p.Engine)
//			graph.Deliver(…)
//			return deliverytest.System{Graph: graph, Accounts: accounts.New(graph), Feed: …}
//		}}.Run(t)
//	}
//
// # What a delivery promises
//
// Clients write follower documents and posts. A delivery gets the ids of the written documents, and
// reads their current state. When nothing is in flight:
//
//  1. A reader's feed has exactly two kinds of posts: posts to the followers of an account or
//     group that the reader follows, and posts with the reader in `to`. Hidden posts are in no
//     feed. Authors, audiences and times of the posts are the current ones, after follows,
//     unfollows, new posts, edits and deletions. The newest post comes first.
//
//     A block ends the follows of both accounts. While it lasts, a post that names the blocker is not in the
//     blocker's feed. When it ends, the post comes back.
//
//  2. That holds for few posts and followers, which a handler writes itself, and for many, which a
//     handler leaves to a job.
//
//  3. Nothing names a deleted post, except for a finished job.
//
//  4. Nothing names a deleted account or group, except for posts to the group, which stay. That
//     includes the change logs of index documents: a delivery empties a log once the delivery no
//     longer needs it. The purge alone is responsible. Late events of deleted documents change
//     nothing.
//
//  5. If readers decide, a feed has no posts of kinds that the reader hides, and marks single
//     posts that the reader hides. A reader who is away may lack new posts until they return. If
//     comments lift posts, each post stands where its comments put it.
//
// All of this holds, however events come:
//
//  6. An event comes twice: one after the other, much later, or at once in two processes.
//  7. Events of one document come in the wrong order.
//  8. A process dies at any of its writes, in a handler or in a job. Its events come to
//     another process.
//  9. A read fails. A handler does not treat the failure as an empty answer. An acknowledged event
//     does not come again.
//  10. A handler is held at one of its calls while other changes are made and handled. Then it
//     goes on with its earlier reads. Short handlers are held at each call.
//  11. All of this happens at once, to any sequence of operations.
//
// Each story is run in each way: see tales, ways and races, and [Suite.Kin]. Workloads of random operations are checked
// by the same oracle: see package oracle.
//
// The suite also reports the cost of each story, and sets no limit for it.
//
// # How it works
//
// The suite delivers events itself, without triggers, and so controls their order. Each try has its
// own database, with the documents of a stage: everything handled before the story. Processes share
// nothing but the database. Each process has a clock two minutes ahead of the one before, so that no
// process waits for the lease of a dead one.
//
// Package test/delivery runs the suite on the deployed deliveries. It also runs it on a trivial
// delivery, and breaks that in several ways.
//
// The package does not cover performance, large authors, or the security rules for clients.
package deliverytest
