// Package chunker cuts bulk work on Firestore documents into steps that each
// fit one function call.
//
// A job is a document. Writing it triggers the function that runs its next
// step; at the end of a step the engine writes the job again, which triggers
// the next one, until nothing is left:
//
//	Enqueue ─► queued ─► running ─┬─► queued (hop+1) ─► running ─► …
//	              ▲               ├─► done        (deleted, where the page says [Page.Gone])
//	              │               ├─► failed ───┐
//	              │               └─► canceled ─┤
//	              └──────────── Retry ──────────┘
//
// One step, [Engine.Run], is:
//
//  1. claim: a write that demands that the job is as it was read gives the step
//     a lease; or there is nothing to do. No lock is held, so that a herd of
//     events is not in its own way;
//  2. page: the task works on at most Chunk documents after the cursor;
//  3. checkpoint: a transaction moves the cursor, and refuses if the lease is
//     no longer ours. Back to 2 while the [Budget] lasts;
//  4. hand over (queued, hop+1) when the budget is spent, or finish.
//
// A hop that nothing disturbs costs two writes beyond its checkpoints (and beyond
// the renewals of pages that take longer than a third of a lease), the
// claim and the hand-over, each of which invokes the function once; the
// invocations of claim and checkpoints end at once ([Engine.Concerns]).
//
// # Putting it to work
//
// Make an [Engine], [Engine.Register] tasks, and call [Engine.Enqueue] from the
// handler that finds work which is too much for one call. Deploy a function on
// the writes of the job collection that calls [Engine.Run] with the id and the
// hop of the document in the event, and answers an error of Run with an error,
// so that the event is delivered again. Have [Engine.Sweep] called every
// minute. [Engine.Get], [Engine.List], [Engine.Cancel] and
// [Engine.Retry] are for people.
//
// A [Task] is a list of phases, each a function that does one page. [Walk]
// makes one from a query; [BulkUpdate] and [BulkDelete] are whole tasks over
// any query. With [Spec.Splits] a walk is done by several jobs at once, its
// lanes, and their parent shows the sum.
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
// # When something goes wrong
//
//   - A page that fails is tried again after a pause that grows from a second to
//     ten minutes. When there has been no progress for a day the job is failed and
//     says why; its document stays until a person decides. A [Permanent] error, one
//     of the request itself, and a panic fail it at once. From the second failure
//     on, pages get smaller.
//   - A page that takes longer than a lease keeps it: it is renewed meanwhile.
//   - A step that dies leaves its lease. Its event was not acknowledged: when it
//     is delivered again and the lease has run out, that delivery takes over. An
//     event that comes earlier is answered with [ErrBusy]. It counts as a failure.
//   - An event that is lost for good is made up for by Sweep.
//   - An event that comes twice, or late, finds a lease; or it runs the step that is
//     due, as any other would: the due time and the lease decide, not the hop.
//   - A lane whose parent is gone or damaged ends by itself. A parent does not wait
//     for a lane that is damaged: it fails with it. One of whose lanes a person has
//     deleted starts over with its target's next generation, and can be canceled.
//   - A job document that a person wrote, or damaged, goes on or is failed with
//     the field that is wrong; it is never tried for ever.
//   - Of a job that a newer release wrote ([Schema]) nothing is touched: Run and
//     Enqueue answer with [ErrNewer], so that the event comes again, and Sweep passes
//     over it. One of an earlier release goes on, or starts over where the task has
//     another schema by now.
//   - A job of a kind that is not registered, or in a phase that its task does not
//     have, is an error like another: tried again, and failed in the end.
//
// # What it is not for
//
// Work that needs an answer, work on fewer documents than one page (do it in
// the handler), and exactly-once effects outside Firestore.
//
// The package knows nothing of what its tasks do.
package chunker
