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

	KindTimelineHide   = "timelines.hide"   // takes what a reader hides from their timeline
	KindTimelineReader = "timelines.reader" // the same, and brings what the reader shows
	KindLift           = "ranking.lift"     // lifts a post in timelines, in pages

	KindSend = "sending.post" // brings a post to readers by a delivery of the app's own

	KindComments = "comments.delete" // deletes the comments on a deleted post, and its likes

	KindTally = "tallies.count" // counts again what is large, or changes all the time

	KindDamage = "damage" // has failed: a damaged document that a repair mends

	KindLater = "later" // does what an event asked for, when its account's hour allows that

	ArgFunction  = "function" // of such an event, by its name in the trigger table
	ArgPost      = "post"
	ArgDelivery  = "delivery" // the name of one of the app's own
	ArgComment   = "comment"
	ArgDocuments = "documents" // number of the author's index documents at enqueueing, decimal
	ArgFrom      = "from"      // index document with which a range of a post's relations begins; "": the first
	ArgTo        = "to"        // index document before which it ends; "": it does not
	ArgAuthor    = "author"
	ArgIndex     = "index"
	ArgLeaving   = "leaving" // who unfollows while their damaged index document cannot be mended, separated by slashes
	ArgReader    = "reader"
	ArgAccount   = "account" // whose hour it counts for
	ArgNumber    = "number"  // of an account or a post, by its name
	ArgVerb      = "verb"    // of a notification
	ArgObject    = "object"  // of a notification
	ArgEdited    = "edited"  // "true": the post is brought to nobody
	ArgSince     = "since"   // when a rebuild was asked for, by Firestore's clock: nanoseconds since 1970, decimal

	// Damage begins the generation of the job that mends an index document.
	Damage = "damaged "
)

// OwnerTurns is the most jobs of one owner and kind that an instance runs at once.
const OwnerTurns = 6

// Generation formats a stored time as the name of a generation.
func Generation(updated time.Time) string { return updated.UTC().Format(time.RFC3339Nano) }
