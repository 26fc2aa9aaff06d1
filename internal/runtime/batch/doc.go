// Package batch lets the concurrent calls of one process share work.
//
//   - A [Group] runs calls for one key in batches: the follows of one author share a
//     transaction. It sets a pace for the batches, and slows down while other processes
//     change the same documents.
//
// The package holds nothing that outlives the process, and coordinates no processes:
// documents and their preconditions do that.
package batch
