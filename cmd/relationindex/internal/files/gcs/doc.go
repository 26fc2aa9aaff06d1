// Package gcs reads objects of Cloud Storage as a file of this machine is read: as a
// stream, in constant memory.
//
//	store, err := gcs.Open(ctx)
//	...
//	objects, err := store.Find(ctx, "gs://bucket/folder/")
//	...
//	in := store.Reader(ctx, objects[0])
//
// # What holds
//
//   - Bytes are read as they are stored: an object with Content-Encoding gzip is not
//     decompressed on its way.
//   - All bytes are of the generation that [Store.Find] found. An object that is
//     overwritten or deleted meanwhile is [ErrChanged], never a mix.
//   - A connection that breaks is opened again at the byte where it broke. The reader
//     gives up after [maxTries] tries without a byte between them.
//   - At the end, size and CRC32C of all bytes are those of the object.
//
// It needs roles/storage.objectViewer, and asks for a token that can only read. It talks
// to the client through stiface, so that tests can break what a server does not.
package gcs
