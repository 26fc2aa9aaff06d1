// Package chunker cuts bulk work on Firestore documents into steps that each fit one
// function call.
//
// A job is a document. A write to the document triggers the function that runs the next
// step. At its end, a step writes the job again, which triggers the next step, until no
// work is left:
//
//	Enqueue ─► queued ─► running ─┬─► queued (hop+1) ─► running ─► …
//	              ▲               ├─► queued, waits ─► queued ─► …
//	              │               ├─► done        (deleted if the page sets [Page.Gone])
//	              │               ├─► failed ───┐
//	              │               └─► canceled ─┤
//	              └──────────── Retry ──────────┘
//
// [Engine.Run] runs one step:
//
//  1. claim: a write gives the step a lease, if the job is unchanged since it was read.
//     If there is nothing to do, the step ends. A claim holds no lock, so that many
//     events of one job do not block each other.
//  2. page: the task works on at most Chunk documents after the cursor. While the [Budget]
//     lasts, the step goes on with the next page, and repeats one that fails.
//  3. hand-over (queued, hop+1) when the budget is spent or the page asks for it, or the end
//     of the job. A transaction moves the cursor and adds the counts. It fails if the step
//     has lost its lease.
//  4. next: the step gives back its owner's turn, and looks for the owner's oldest due job.
//     While the budget lasts, the step continues with that job at 1.
//
// So a hop costs two writes, however many pages it has: the claim, and the hand-over or end.
// A step that dies between the two writes is repeated whole, so keep steps short: half a minute. A
// lease should outlast a step. A step with a longer page renews the lease after each third.
//
// Each write invokes the function once. The invocations of claims, ends and renewals have
// nothing to do; [Engine.Concerns] detects them without a read. A job of n hops makes at most
// 2n+1 invocations.
//
// # Events and Sweep
//
// An event says that a step may be due. If no step is due, the event is acknowledged. An error would
// cause redeliveries, and slow down the events of all jobs. So jobs that wait for a turn rely on the
// steps that hold a turn: [Engine.Run] explains why no job is forgotten. All other jobs rely on
// [Engine.Sweep]. Without Sweep, a job stops if its step died or its event was lost. It also stops if
// a page failed and the retry time is beyond the end of the step.
//
// # Use it
//
// Create an [Engine], and add your tasks with [Engine.Register]. A handler that finds
// too much work for one call calls [Engine.Enqueue].
//
// Deploy a function on writes to the job collection. It calls [Engine.Run] with the
// document id and the hop from the event. If Run returns an error, the function returns
// it, so that the event is delivered again. Call [Engine.Sweep] every minute: progress requires this.
// [Engine.Cancel], [Engine.Retry] and the methods of [jobdocs.Store] are for operators.
//
// A [Task] is a list of phases. Each phase is a function that does one page. Package
// bulk makes such functions, and whole tasks, from queries.
//
// # Write a task
//
// A task must be idempotent, because a page is applied at least once. A step that dies
// leaves the cursor where the step before it handed over. The next step repeats its pages.
// A page whose counts must be durable before the next begins sets [Page.HandOver].
//
// The engine promises two things. The cursor never goes back behind a page that another
// step handed over. If the target changes while its job runs (see [Spec.Generation]), the
// job walks the target again before it is done.
//
// # Failures
//
//   - A page that fails is retried after a pause, which grows from one second to ten
//     minutes: in its step, if there is time, or else after the next Sweep. From the second
//     failure on, pages get smaller. After a day without progress and ten failures, the job
//     fails and stores the error. Its document stays until an operator decides.
//   - A [Permanent] error, a request that Firestore rejects as invalid, and a panic
//     fail the job at once.
//   - A step that dies leaves its lease. When the lease has ended, Sweep queues the job, or
//     an event's step takes over. The death counts as a failure.
//   - A duplicate or late event finds a lease, or runs the step that is due. The due
//     time and the lease decide, not the hop.
//   - A job document that an operator wrote or damaged continues, or fails with an
//     error that names the wrong field. It is not retried for ever.
//   - An unfinished job of a newer release ([Schema]) stays as it is. Run and Enqueue
//     return [ErrNewer], so that the event comes again; Sweep skips the job.
//   - An unregistered kind, or a phase that the task does not have, is an ordinary
//     error: the job is retried, and fails in the end.
//
// # Work that must wait
//
// A page may leave out work that must wait, and then sets [Page.Waits]. The run goes on to its end. Then
// the job waits, without a time, an attempt or an event: it costs nothing. Sweep queues the job again once
// the job may run ([Engine.ReleaseBy]). An Enqueue of another generation also queues the job, because its
// work may not have to wait. The next run begins with the first page.
//
// A whole run may begin later ([Spec.At]). Sweep queues the job at that time.
//
// # When not to use it
//
// Do not use chunker for work that must return an answer, or for exactly-once effects
// outside Firestore. If the work fits one page, do it in the handler.
//
// The package is independent of the work of its tasks.
package chunker
