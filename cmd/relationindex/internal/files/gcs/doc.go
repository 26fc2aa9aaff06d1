// Package gcs reads objects of Cloud Storage like local files: as a stream, in constant
// memory.
//
//	store, err := gcs.Open(ctx)
//	...
//	objects, err := store.Find(ctx, "gs://bucket/folder/")
//	...
//	in := store.Reader(ctx, objects[0])
//
// # Guarantees
//
//   - Bytes are read as they are stored. An object with Content-Encoding gzip is not
//     decompressed on its way.
//   - All bytes are of the generation that [Store.Find] found. If the object is
//     overwritten or deleted during the read, the error is [ErrChanged].
//   - A broken connection is opened again at the byte where it broke. The reader
//     returns an error after [maxTries] tries without a byte between them.
//   - At the end, all bytes together have the size and the CRC32C of the object.
//
// The package needs roles/storage.objectViewer, and requests a token that can only read.
// It calls the client through stiface, so that tests can simulate failures.
package gcs
