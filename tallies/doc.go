// Package tallies keeps numbers, such as how many like a post, and notifications, such as "Ann, Ben and 10 others liked your
// post". Both are derived from a collection by counting it. Nothing is ever added to a number: so an event that comes
// twice, late or never at all leaves no error that stays.
//
//	users/{u}                                counts: followers, following, posts
//	posts/{p}                                counts: likes, comments
//	posts/{p}/likes/{u}                      userId, postId, createdAt: written by clients
//	users/{u}/notifications/{verb}.{object}  verb, object, count, actors, at, expireAt
//
// A [Subject] is one number or one notification. [Tallies.Tally] makes its document say what is true.
//
// # An example
//
// Ann and Ben like Eve's post p at the same moment. Two instances of OnLikeWritten have an event each. Both do this:
//
//  1. They read posts/p: counts.likes is 4.
//  2. They count posts/p/likes: there are 6.
//  3. They write counts.likes = 6, on condition that posts/p is as they read it. The first succeeds. The second has to begin
//     again: it reads 6, counts 6, and is done.
//  4. The first counts once more after its write. It finds 6, and is done.
//
// Why does the first count once more? Suppose that Ben takes his like back and likes again while the first instance
// is slow: between its steps 2 and 3. Say that 6 was stored already, and that it counted 5. The event of Ben's second
// like is handled meanwhile: it counts 6, finds 6 and writes nothing. Then the first instance writes 5, on a document that is as
// it read it. So whoever writes counts again, until it finds what is stored. After the last write, there is always a
// count that agrees, or an event that is not acknowledged and comes again.
//
// like.p, below users/eve/notifications, is made in the same way: count 6, actors Ben and Ann, and at, when Ben liked.
// If Eve blocks Ann, actors is Ben alone. Once nobody likes the post, the document is deleted.
//
// # Pace
//
// Events of one subject share counts in a process, at least a second apart. An event never joins a count that has
// begun: that count may have missed it. A subject whose count costs more than ten reads, or that does not come to
// rest in a few counts, is left to one job of the subject, which begins a minute later and covers all events until then.
//
// # What it does not do
//
// It creates no document of users or posts. Without the document, there is no number. A notification is only for an account
// with a profile: the transaction that makes it finds the profile, and the post that it is about. So the purge of an
// account, which comes after its profile has gone, finds all of them, and leaves none behind.
//
// Numbers and notifications are not for what must be exact at each moment, such as places in a lottery: they
// follow their collection by a second, and large ones by a minute or two.
package tallies
