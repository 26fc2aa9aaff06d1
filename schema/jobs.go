package schema

// Kinds are all kinds of jobs.
var Kinds = []string{
	KindPost, KindIndex, KindPurge, KindProfile, KindTimelinePost, KindTimelineFollow, KindTimelineHide, KindTimelineReader, KindLift, KindMail, KindComments,
}

// The kinds of jobs and the names of their arguments, as stored.
const (
	KindPost    = "relations.post"    // Post, in pages
	KindIndex   = "relations.index"   // sync and backfill, in pages
	KindPurge   = "relations.purge"   // removes a deleted account
	KindProfile = "relations.profile" // copies changed author fields, such as a name or picture

	KindTimelinePost   = "timelines.post"   // brings a post to timelines, in pages
	KindTimelineFollow = "timelines.follow" // brings an audience's posts to one reader, or takes them

	KindTimelineHide   = "timelines.hide"   // takes what a reader hides from their timeline
	KindTimelineReader = "timelines.reader" // the same, and brings what the reader shows
	KindLift           = "ranking.lift"     // lifts a post in timelines, in pages

	KindMail = "mail.post" // writes the mail of a post

	KindComments = "comments.delete" // deletes the comments on a deleted post

	ArgPost      = "post"
	ArgDocuments = "documents" // number of the author's index documents at enqueueing, decimal
	ArgAuthor    = "author"
	ArgIndex     = "index"
	ArgReader    = "reader"
	ArgEdited    = "edited" // "true": the post is brought to nobody
	ArgSince     = "since"  // when a rebuild was asked for, by Firestore's clock: nanoseconds since 1970, decimal
)
