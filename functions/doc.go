// Package functions holds the entry points. Each function decodes a CloudEvent, calls one
// reconciler, and turns the outcome into an acknowledgement or a redelivery.
//
// [Register] registers all functions with the functions framework. Their table is in
// package triggers. An event is only a hint that something changed. The reconcilers in
// packages followers, relations and accounts read the current documents. So an event may
// arrive:
//
//   - twice: the second finds nothing to do;
//   - late or out of order: the handler reads the newer state;
//   - never: the next event of the same target, or repair, makes up for it;
//   - at the same time as its duplicate: one of them waits for the other's transaction,
//     or finds its plan stale and plans again.
package functions
