package relations

import "time"

// Firestore's limits, as documented in "Quotas and limits" and "Storage size
// calculations" (read November 2026). The emulator enforces only some of them.
const (
	maxDocumentBytes = 1 << 20 // of one document
	maxIDBytes       = 1500    // of a document id, UTF-8
	maxQueriedBytes  = 1499    // of a string in a filter: 1,500 with the byte that ends it (found on the emulator)
)

// Our own limits, which keep documents and transactions below Firestore's.
const (
	// DefaultCapacity is the most ids in an index document. Production has
	// been seen to count two index entries for each array element and refuses
	// a document with more than 40,000: at 10,000 ids there is room for the
	// one composite index that the feed needs.
	DefaultCapacity = 10_000

	// DefaultFollowersBytes is the byte budget of the followers array. With
	// maxChangesBytes it leaves a fifth of a document for what a relation
	// copies from its post, for names, and for the other fields.
	DefaultFollowersBytes = 768 << 10

	// maxFollowersBytes is the most that the byte budget can be set to.
	maxFollowersBytes = maxDocumentBytes - maxChangesBytes - maxCopiedBytes - 8<<10

	// typicalIDBytes is what a Firebase user id costs inside an array: what is
	// planned with where ids have not been read yet.
	typicalIDBytes = 28 + 1

	// shortIDBytes is the same of a short id: 7 characters.
	shortIDBytes = 7 + 1

	// maxChangesBytes bounds the change log of an index document: about 2,200
	// changes of 28-character ids.
	maxChangesBytes = 64 << 10

	// maxCopiedBytes bounds the fields that a relation copies from its post.
	maxCopiedBytes = 128 << 10

	// maxCopiedEntries bounds the index entries of those fields. A full relation
	// has 20,000 of the 40,000 that a document may have; the other half is
	// not given away, because entries take of a transaction's 10 MiB too.
	maxCopiedEntries = 10_000

	// maxBatch and maxBatchBytes bound one members transaction: it writes a
	// mirror for each follower, whose name and index entries repeat both ids
	// about eight times (10 MiB is the limit for a transaction with its index entries).
	maxBatch      = 300
	maxBatchBytes = 512 << 10

	// transactionBytes is how much of Firestore's 10 MiB a transaction over
	// several relations is planned to take, by estimate: three relations of
	// 10,000 Firebase user ids. What it finds when it reads may have grown: up
	// to transactionLimit it goes on.
	transactionBytes = 17 << 19
	transactionLimit = 19 << 19

	// flightBytes is how many bytes of follower arrays, as stored, a process
	// holds at a time. In memory they take some ten times as much.
	flightBytes = 8 << 20

	// copiesPerRead is how many relations get the whole array that a pass of
	// sync has read. It reads it again for the next ones.
	copiesPerRead = 10

	// copiesBytes is how many bytes of follower arrays a page of a job copies:
	// few enough for the job's lease, which the page has to keep.
	copiesBytes = 32 << 20

	// maxRemake is how many index documents an event reads to make a damaged mirror
	// anew: some 30 MB, one after the other.
	maxRemake = 100

	// DefaultLane is how many index documents of a post one lane of its job has.
	DefaultLane = 250

	// maxIndexDocuments is how many index documents an author can have: their
	// ids have five digits, and are found in their order. A billion followers
	// at the default capacity.
	maxIndexDocuments = 99_999

	// maxPlainID is the longest post id that stands in a relation's id as it
	// is, if it may; longer ones are hashed. Every byte of a relation's name is repeated
	// in each of its up to 20,000 index entries, and a post id may have as
	// many bytes as the whole relation id.
	maxPlainID = 64

	// DefaultInlineLimit is how many documents a handler writes itself; more
	// become a job.
	DefaultInlineLimit = 100

	// DefaultParallel is how many relations are written at once by one
	// process. Each may hold a follower array of some 3 MB of heap.
	DefaultParallel = 24

	// DefaultHeld is how many followers, or relations, that are wrong verify and repair hold
	// at a time: some 50 MB.
	DefaultHeld = 1 << 18
)

// rangeSize is how many followers verify puts under one digest: so few that it can hold several ranges whose
// digests differ.
func (o Options) rangeSize() int { return max(1, o.Held/32) }

// The times of events that share their work.
const (
	// batchTimeout bounds what they share; it is shorter than the functions' timeouts.
	batchTimeout = 50 * time.Second

	// membersPace and syncPace are the shortest times between two transactions
	// on one author's followers, and between two passes over the relations of
	// one index document. A follow that comes alone does not wait; in a burst
	// they bound how often large documents are written (Firestore used to name
	// one write a second as what a document sustains).
	membersPace = 100 * time.Millisecond
	syncPace    = 500 * time.Millisecond
)

// idBytes is what an id costs inside an array.
func idBytes(id string) int { return len(id) + 1 }

// bytesOf is what ids cost as an array.
func bytesOf(ids []string) (size int) {
	for _, id := range ids {
		size += idBytes(id)
	}
	return size
}
