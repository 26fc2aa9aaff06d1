package guard

// Limits of Firestore's Standard edition, as documented in "Quotas and limits" and "Transactions and batched writes" (read
// November 2026), and what the guard counts towards them.
//
// Index entries are counted at the worst case: two for each distinct element of an array, in automatic indexes, where
// production has been seen to do so, and in composites, where nobody has looked. Google's own example has one. So a commit that
// the guard takes may be half as large in production, and none that it takes is larger.
//
// Two limits are not what production seems to enforce, and are kept as they are documented. The sum of a document's index
// entries, 8 MiB, and the transaction, 10 MiB: a third party has recorded commits of up to some 29 MB that were taken, and
// deletes that were refused where the creation of the same document was not. Who stays below the documented ones does not have to know.
//
// A commit is a transaction whether or not it was begun as one: it is atomic. Towards its 10 MiB count each document as it
// becomes, or as it was if it is deleted, and each index entry that goes or comes. Entries that a write leaves as they are
// do not: documented is "the sizes of documents and index entries modified".
const (
	MaxDocumentBytes     = 1 << 20
	MaxValueBytes        = 1<<20 - 89 // of a field of a document
	MaxNameBytes         = 6 << 10    // of a document's name
	MaxDepth             = 20         // of maps and arrays in each other
	MaxIndexEntries      = 40_000     // of a document
	MaxIndexEntryBytes   = 7_680      // 7.5 KiB
	MaxIndexEntriesBytes = 8 << 20    // of a document, together
	MaxRequestBytes      = 10 << 20
	MaxTransactionBytes  = 10 << 20
	MaxTransforms        = 500 // of fields of a document, in a commit
)
