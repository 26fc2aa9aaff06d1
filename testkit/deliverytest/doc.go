// Package deliverytest is the conformance suite of [followers.Delivery], which brings posts
// to their readers. Every delivery has to pass it.
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
// Clients write follower documents and posts. A delivery gets the ids of what was written,
// and reads what is true now. When nothing is in flight:
//
//  1. A reader's feed has exactly the posts to everyone whom the reader follows, people and
//     groups, and those that name the reader in `to`; none that is hidden. That holds by
//     the posts' authors, audiences and times as they are, after follows, unfollows, new
//     posts, edits of each of these, and deletions. They come newest first.
//
//  2. It holds for few posts and followers, which a handler writes itself, and for many,
//     which it leaves to a job.
//
//  3. Nothing names a deleted post, except for a job that is done.
//
//  4. Nothing names a deleted account or group, but posts to the group, which stay. That
//     includes the change logs of index documents: a
//     delivery empties these when it needs them no longer. The purge alone sees to that.
//     Late events of what it deleted change nothing.
//
//  5. Where readers decide: a feed has no posts of kinds that the reader hides, and says which posts
//     the reader hides. Who is away may lack what comes, until they are back. Where comments lift
//     posts, each stands where these say.
//
// All of this holds, however events come:
//
//  6. An event comes twice: one after the other, much later, or at once in two processes.
//  7. Events of one document come in the wrong order.
//  8. A process dies at any of its writes, in a handler or in a job. Its events come to
//     another process.
//  9. A read fails. A handler does not take that for an empty answer, and the event that it
//     acknowledges does not come again.
//  10. A handler is held at one of its calls, while something else changes and is handled.
//     It goes on with what it has read. Short handlers are held at each call.
//  11. All of this happens at once, to any sequence of operations.
//
// A story is told in each way: see tales, ways and races. Workloads of random operations
// are judged by the same oracle: see package oracle.
//
// The suite also reports what each story costs, and judges none of it.
//
// # How it works
//
// The suite delivers events itself, without triggers, so that it decides which come when.
// Each try has a database of its own, with the documents of a stage: what has been handled
// before. Processes share nothing but the database. The clock of each is two minutes ahead
// of the one before, so that nobody waits for the lease of a dead process.
//
// Tests of the suite itself have a second, trivial delivery, and break it in several ways.
//
// The package is not for performance, large authors, or what clients may write.
package deliverytest
