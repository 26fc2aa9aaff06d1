package schema

import "time"

// Kinds are all kinds of jobs.
var Kinds = []string{
	KindPost, KindIndex, KindPurge, KindProfile, KindTimelinePost, KindTimelineFollow, KindTimelineHide, KindTimelineReader, KindLift, KindSend, KindComments, KindTally, KindDamage, KindLater,
}

// The kinds of jobs and the names of their arguments, as stored.
const (
	KindPost    = "relations.post"    // Post, in pages
	KindIndex   = "relations.index"   // sync and backfill, in pages
	KindPurge   = "relations.purge"   // removes a deleted account
	KindProfile = "relations.profile" // copies changed author fields, such as a name or picture

	KindTimelinePost   = "timelines.post"   // brings a post to timelines, in pages
	KindTimelineFollow = "timelines.follow" // brings an audience's posts to one reader, or takes them

	KindTimelineHide   = "timelines.hide"   // removes what a reader hides from their timeline
	KindTimelineReader = "timelines.reader" // the same, and brings posts that the reader no longer hides
	KindLift           = "ranking.lift"     // lifts a post in timelines, in pages

	KindSend = "sending.post" // brings a post to readers by one of the app's own deliveries

	KindComments = "comments.delete" // deletes the comments on a deleted post, and its likes

	KindTally = "tallies.count" // counts a subject again that is large, or keeps changing

	KindDamage = "damage" // a failed job that reports a damaged document that a repair mends

	KindLater = "later" // does the work of an event later, when its account's hour allows it

	ArgFunction  = "function" // function of KindLater, by its name in the trigger table
	ArgPost      = "post"
	ArgDelivery  = "delivery" // name of one of the app's own deliveries
	ArgComment   = "comment"
	ArgDocuments = "documents" // number of the author's index documents at enqueueing, decimal
	ArgFrom      = "from"      // index document with which a range of a post's relations begins; "": the first
	ArgTo        = "to"        // index document before which it ends; "": it does not
	ArgAuthor    = "author"
	ArgIndex     = "index"
	ArgLeaving   = "leaving" // followers who unfollow while their damaged index document cannot be mended, separated by slashes
	ArgReader    = "reader"
	ArgAccount   = "account" // account whose hour the work counts for
	ArgNamed     = "named"   // people to whom a post may be brought by name, separated by slashes
	ArgNumber    = "number"  // of an account or a post, by its name
	ArgVerb      = "verb"    // of a notification
	ArgObject    = "object"  // of a notification
	ArgEdited    = "edited"  // "true": the post is brought to nobody
	ArgSince     = "since"   // when a rebuild was requested, by Firestore's clock: nanoseconds since 1970, decimal

	// Damage begins the generation of the job that mends an index document.
	Damage = "damaged "
)

// OwnerTurns is the most jobs of one owner and kind that an instance runs at once.
const OwnerTurns = 6

// Generation formats a stored time as the name of a generation.
func Generation(updated time.Time) string { return updated.UTC().Format(time.RFC3339Nano) }
