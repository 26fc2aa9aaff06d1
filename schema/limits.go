package schema

import (
	"time"
)

// Firestore's limits, from "Quotas and limits" and "Storage size calculations" (read
// November 2026). The emulator enforces only some of them.
const (
	MaxDocumentBytes = 1 << 20 // of one document
)

// Our own limits. They keep documents and transactions below Firestore's.
const (
	// DefaultCapacity is the maximum number of ids in an index document. Firestore in
	// production has counted two index entries for an array element. It rejects a
	// document with more than 40,000 entries. So 10,000 ids leave room for the one
	// composite index of the feed.
	DefaultCapacity = 10_000

	// DefaultFollowersBytes is the byte budget of the followers array. This budget and
	// MaxChangesBytes leave a fifth of a document for names, other fields, and the
	// fields that a relation copies from its post.
	DefaultFollowersBytes = 768 << 10

	// MaxFollowersBytes is the highest byte budget that you can configure.
	MaxFollowersBytes = MaxDocumentBytes - MaxChangesBytes - MaxCopiedBytes - 8<<10

	// TypicalIDBytes is the size of a Firebase user id in an array. Plans use it for
	// ids that are not read yet.
	TypicalIDBytes = 28 + 1

	// ShortIDBytes is the size of a short id, 7 characters, in an array.
	ShortIDBytes = 7 + 1

	// MaxChangesBytes limits the change log of an index document to about 2,200 changes
	// of 28-character ids.
	MaxChangesBytes = 64 << 10

	// MaxCopiedBytes limits the fields that a relation copies from its post.
	MaxCopiedBytes = 128 << 10

	// MaxCopiedEntries limits the index entries of those fields. A full relation has
	// 20,000 of the 40,000 entries that a document may have. The limit is only half of
	// the rest, because entries also count towards a transaction's 10 MiB.
	MaxCopiedEntries = 10_000

	// MaxBatch and MaxBatchBytes limit one members transaction. It writes an edge for
	// each follower. The edge's name and index entries repeat both ids about eight
	// times. Firestore limits a transaction, with its index entries, to 10 MiB.
	MaxBatch      = 300
	MaxBatchBytes = 512 << 10

	// TransactionBytes is the planned size of a transaction over several relations, by
	// estimate: 8.5 MiB of Firestore's 10. That is three relations of 10,000 Firebase
	// user ids. Documents may have grown since the plan. The transaction continues up
	// to TransactionLimit, 9.5 MiB.
	TransactionBytes = 17 << 19
	TransactionLimit = 19 << 19

	// MemoryBudget limits the follower arrays that a process holds at a time, in bytes
	// as stored, unless Go has a memory limit (see work.Budget). In memory they take about
	// ten times as much.
	MemoryBudget = 8 << 20

	// CopiesPerRead is how many relations sync updates with one read of the whole
	// array. Sync reads the array again for the next ones.
	CopiesPerRead = 10

	// CopiesBytes limits the follower arrays that a page of a job copies. A page of
	// this size ends before the job's lease does.
	CopiesBytes = 32 << 20
	// InlineBytes limits the follower arrays that a handler copies itself: some fourteen full arrays, a second
	// or two of writes. A job copies more.
	InlineBytes = 4 << 20

	// DefaultRange is how many index documents of a post one of its jobs handles.
	DefaultRange = 250

	// MaxIndexDocuments is how many index documents an author may have. Their ids have
	// five digits, so that they sort in order. At the default capacity, this is a
	// billion followers.
	MaxIndexDocuments = 99_999

	// MaxPlainID is the longest post id, in bytes, that a relation's id contains as it
	// is; see paths.go for other conditions. Longer ids are hashed, for two reasons.
	// Firestore repeats the relation's name in each of its up to 20,000 index entries.
	// And a post id may be as long as a whole relation id.
	MaxPlainID = 64

	// MaxRefs is how many ids a post's field refs may hold, as in the rules.
	MaxRefs = 10

	// MaxAhead is how far a phone's clock may be ahead: rules reject a later createdAt of a post. So a post
	// counts as made after a follow if its createdAt is later than the follow less MaxAhead.
	MaxAhead = 5 * time.Minute

	// MinIdle is the shortest time after which a reader is idle: clients record a visit once an hour.
	MinIdle = 2 * time.Hour

	// DefaultInlineLimit is how many documents a handler writes itself. More become a
	// job.
	DefaultInlineLimit = 100

	// DefaultBucket is how many entries a document of a timeline of buckets has.
	DefaultBucket = 50

	// DefaultParallel is how many relations one process writes at once. Each may hold a
	// follower array of about 3 MB of heap.
	DefaultParallel = 24

	// DefaultHeld is how many wrong followers or relations verify and repair hold at a
	// time: about 50 MB.
	DefaultHeld = 1 << 18
)

// Times of events that share work.
const (
	// BatchTimeout limits one batch. It is shorter than the functions' timeouts.
	BatchTimeout = 50 * time.Second

	// MembersPace is the shortest time between two transactions on an author's
	// followers. SyncPace is the shortest time between two passes over the relations of
	// an index document. A follow that comes alone does not wait. In a burst, both
	// limit how often large documents are written. (Firestore used to document one
	// write a second as the sustained rate of a document.)
	MembersPace = 100 * time.Millisecond
	SyncPace    = 500 * time.Millisecond
)

// IDBytes returns the size of an id in an array.
func IDBytes(id string) int { return len(id) + 1 }

// IDsBytes returns the size of an array of ids.
func IDsBytes(ids []string) (size int) {
	for _, id := range ids {
		size += IDBytes(id)
	}
	return size
}

// DistinctIDs returns the valid ids among all, each once, and their size.
func DistinctIDs(all []string) (ids []string, size int) {
	ids = []string{}
	seen := map[string]bool{}
	for _, id := range all {
		if !seen[id] && CheckAccountID(id) == nil {
			seen[id] = true
			ids = append(ids, id)
			size += IDBytes(id)
		}
	}
	return ids, size
}
