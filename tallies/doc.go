// Package tallies keeps numbers, such as a post's likes, and notifications, such as "Ann, Ben and 10 others liked your
// post". The package derives both by counting a collection. It never increments a number, so a duplicate, late or lost
// event leaves no permanent error.
//
//	users/{u}                                counts: followers, following, posts
//	posts/{p}                                counts: likes, comments
//	posts/{p}/likes/{u}                      userId, postId, createdAt: written by clients
//	users/{u}/notifications/{verb}.{object}  verb, object, count, actors, at, expireAt, told
//
// A [Subject] is one number or one notification. [Tallies.Tally] makes the subject's document agree with the collection.
//
// # An example
//
// Ann and Ben like Eve's post p at the same moment. Two instances of OnLikeWritten get one event each. Both do this:
//
//  1. They read posts/p: counts.likes is 4.
//  2. They count posts/p/likes: there are 6.
//  3. They write counts.likes = 6, on condition that posts/p is unchanged. The first succeeds. The second begins
//     again: it reads 6, counts 6, and is done.
//  4. The first counts once more after its write. It finds 6, and is done.
//
// The last count is necessary. Suppose that 6 was stored already. Ben removes his like, the first instance counts 5, and
// Ben likes again before the instance writes. Another instance handles the event of Ben's second like meanwhile: it
// counts 6, finds 6 stored, and writes nothing. Then the first instance writes 5: the document has not changed since
// its read. So each writer counts again, until its count equals the stored number. After the last write, there is
// always a count that agrees, or an unacknowledged event that comes again.
//
// The notification like.p, below users/eve/notifications, is made in the same way. Its count is 6, its actors are Ben
// and Ann, and at is when Ben's like was counted. If Eve blocks Ann, actors is only Ben. Once nobody likes the post, the
// document has no at, and no client finds it. It stays for a day, so that Ben, who may like the post again, is not new.
//
// # Pace
//
// Events of one subject share counts in a process, at least a second apart. An event never joins a count that has
// begun: that count may have missed the event's change. A job counts a subject whose count costs more than ten reads,
// or that still changes after a few counts. The subject's one job begins a minute later, or up to an hour for the largest
// subjects, and covers all events until then.
//
// # Limits
//
// The package creates no document of users or posts. Without the document, there is no number. A notification is only
// for an account with a profile: the transaction that creates the notification reads the profile and the post. A purge
// of an account comes after the deletion of its profile. So the purge finds and deletes all notifications of the account.
//
// Do not use numbers and notifications where each moment must be exact, such as for places in a lottery. They
// follow their collection after a second, and large ones after minutes, at most about an hour.
package tallies
