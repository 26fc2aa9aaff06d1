// Package oracle says what a reader's timeline must and may hold, from what clients have written
// alone: documents, and the times at which they were written and deleted. It knows nothing that
// functions write, and nothing of when they ran.
//
//	h := &oracle.History{}
//	h.Write("users/ann/followers/bob", at, fields) // as the server acknowledged it
//	…
//	h.Rest(at)                                     // nothing was in flight
//	wrong := oracle.New(h, config, now).Reader("bob").Judge(timeline)
//
// # The definition
//
// A post is readable for an audience while it exists, is valid, is not hidden, and its audience is
// that one, by [schema.AudienceOf]. F is createdAt of the follower document. A post's createdAt is the
// clock of a phone, at most [Margin] ahead. For a reader, at the end:
//
//   - must: readable posts of those whom they follow, with createdAt > F − Margin, or that have been
//     among the newest [Config.Backfill] of the audience all the time since the follow; posts whose
//     `to` names them, of authors whom they have not blocked since the post was made; their own, if
//     [Config.Own].
//   - may: must; posts that were among the newest Backfill with createdAt ≤ F − Margin at some moment
//     since the follow; posts that name them, of authors whom they blocked for a time.
//   - neither: what their settings hide; what names them, by an author whom they block now, also if they
//     follow its audience. Relations that clients query keep it: see [Config.Stays].
//
// A timeline has all of must, and nothing but may, each once, as the post is. With a cap, a post may be
// missing that so many were newer than. A reader who is idle at the end may lack anything. A post that
// is older than [Config.Expire] may be missing.
//
// # What a handler may see
//
// Handlers run at any time between two rests. So an unfollow and a follow between two rests may look
// like no change: then F is that of either, for what may be there. What a reader had before a post was
// sent on to another audience of theirs may stay. And posts that were there between the same rests
// count together against a cap.
package oracle
