package guard

// Limits of Firestore's Standard edition, as documented in "Quotas and limits" and "Transactions and batched writes" (read
// November 2026), and what the guard counts towards them.
//
// Index entries are counted at the worst case: two for each distinct element of an array. In automatic indexes, production has
// been seen to do so; in composites, nobody has checked. Google's own example has one. So production may count half as much as the
// guard for a commit, and never more.
//
// Production seems not to enforce two limits, and the guard keeps them as documented: the sum of a document's index
// entries, 8 MiB, and the transaction, 10 MiB. A third party has recorded accepted commits of up to some 29 MB, and rejected
// deletes of documents whose creation was accepted. Commits below the documented limits avoid the question.
//
// Every commit is a transaction, because it is atomic, whether or not it was begun as one. Its 10 MiB include each document
// after the change, or before a delete, and each index entry that is removed or added. They do not include entries that a write
// leaves unchanged: documented is "the sizes of documents and index entries modified".
const (
	MaxDocumentBytes     = 1 << 20
	MaxValueBytes        = 1<<20 - 89 // of a field of a document
	MaxNameBytes         = 6 << 10    // of a document's name
	MaxDepth             = 20         // of maps and arrays inside each other
	MaxIndexEntries      = 40_000     // of a document
	MaxIndexEntryBytes   = 7_680      // 7.5 KiB
	MaxIndexEntriesBytes = 8 << 20    // of a document, together
	MaxRequestBytes      = 10 << 20
	MaxTransactionBytes  = 10 << 20
	MaxTransforms        = 500 // of fields of a document, in a commit
)
