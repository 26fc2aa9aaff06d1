// Package bulk makes tasks of package chunker from queries.
//
// [Update] and [Delete] are whole tasks for the documents of any query:
//
//	engine.Register(bulk.Delete("clear", 8, func(job chunker.Job) (firestore.Query, error) {
//		return bulk.Query(client, job)
//	}))
//
// [Walk], [Change] and [CountFirst] make the phases of a task of your own.
//
// The package is not for a walk in another order than the documents' names, or for documents that
// depend on each other. Write a [chunker.PageFunc] for these.
package bulk
