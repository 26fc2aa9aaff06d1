// Package chunker cuts bulk work on Firestore documents into steps that each
// fit one function call.
//
// A job is a document. Writing it triggers the function that runs its next
// step; at the end of a step the engine writes the job again, which triggers
// the next one, until nothing is left:
//
//	Enqueue ─► queued ─► running ─┬─► queued (hop+1) ─► running ─► …
//	                              ├─► done
//	                              └─► failed
//
// One step, [Engine.Run], is:
//
//  1. claim: a transaction gives the step a lease, or says that there is
//     nothing to do;
//  2. page: the task works on at most Chunk documents after the cursor;
//  3. checkpoint: a transaction moves the cursor, and refuses if the lease is
//     no longer ours. Back to 2 while the [Budget] lasts;
//  4. hand over (queued, hop+1) when the budget is spent, or finish.
//
// # What a task has to promise
//
// A page is applied at least once: a step that dies between page and
// checkpoint leaves a cursor that is one page behind, and the next step does
// that page again. So tasks are idempotent. The engine promises in turn that
// the cursor never goes back behind a page that another step has finished,
// and that a target that changed while its job ran (see [Spec.Generation]) is
// walked again before the job calls itself done.
//
// # Who wakes a job up
//
// The event of the write that queued it. An event that finds its hop leased
// to another step is answered with [ErrBusy], so that it is delivered again:
// if the step died, that delivery takes over when the lease has run out.
//
// # What it is not for
//
// Work that needs an answer, work on fewer documents than one page (do it in
// the handler), and exactly-once effects outside Firestore.
//
// The package knows nothing of what its tasks do.
package chunker
