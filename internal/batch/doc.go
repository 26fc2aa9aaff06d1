// Package batch lets the concurrent calls of one process share work and memory.
//
//   - A [Group] runs calls for one key in batches: the follows of one author share a
//     transaction. It sets a pace for the batches, and slows down while other processes
//     change the same documents.
//   - A [Limiter] is a memory budget in bytes for concurrent work, and so limits how much
//     runs at once. [Each] runs work on many items within it.
//
// The package holds nothing that outlives the process, and coordinates no processes:
// documents and their preconditions do that.
package batch
