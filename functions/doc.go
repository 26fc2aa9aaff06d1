// Package functions holds the entry points: it decodes a CloudEvent, calls one
// reconciler, and turns the outcome into an acknowledgement or a redelivery.
//
// [Register] registers every function of the [Triggers] table with the
// functions framework. An event is only a hint that something changed; the
// reconcilers in package relations read what is true now. So for each handler:
//
//   - twice: the second finds nothing to do;
//   - late or out of order: it finds the newer truth;
//   - never: the next event of the same target, or repair, makes up for it;
//   - while its twin runs: one of them waits for the other's transaction, or
//     finds its plan stale and makes a new one.
package functions
