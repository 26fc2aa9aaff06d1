// Package oracle computes the posts that a reader's timeline must and may hold. Its only input is the
// documents that clients have written, and the times of writes and deletions. It uses nothing that
// functions write, and not the times at which functions ran.
//
//	h := &oracle.History{}
//	h.Write("users/ann/followers/bob", at, fields) // as the server acknowledged it
//	…
//	h.Rest(at)                                     // nothing was in flight
//	wrong := oracle.New(h, config, now).Reader("bob").Judge(timeline)
//
// # The definition
//
// A post is readable for an audience while the post exists, is valid, is not hidden, and
// [schema.AudienceOf] is that audience. F is createdAt of the follower document. A post's createdAt
// comes from the clock of a phone, at most [Margin] ahead. For a reader, at the end:
//
//   - must: readable posts of accounts and groups that the reader follows, if createdAt > F −
//     Margin, or if the post was among the newest [Config.Backfill] of the audience all the time
//     since the follow; posts with the reader in `to`, unless the reader blocks the author now; the
//     reader's own posts, if [Config.Own].
//   - may: must; posts with createdAt ≤ F − Margin that were among the newest Backfill at some
//     moment since the follow.
//   - neither: posts that the reader's settings hide; posts with the reader in `to` whose author
//     the reader blocks now, even if the reader follows the audience. Relations that clients query
//     keep such posts of a group: see [Config.Groups].
//
// A block ends the follows of both accounts.
//
// A timeline has all posts of must, and only posts of may, each once, in the post's present state.
// With a cap, a post may be missing if there were as many newer ones as the cap. A timeline may lack
// any post if its reader is idle at the end. A post older than [Config.Expire] may be missing.
//
// # What a handler may see
//
// Handlers run at any time between two rests. So an unfollow and a follow between two rests may go
// unnoticed: then either F counts for may. A post that a reader had before it moved to another of
// their audiences may stay. And posts that existed between the same two rests count together against a
// cap.
package oracle
