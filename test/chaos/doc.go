// Package chaos runs a random workload on the whole system while everything
// that may go wrong does: events come twice, late, in another order or not at
// the first attempt; calls to Firestore fail before and after they have taken
// effect; transactions stall; and worker processes are killed. Afterwards every
// document must be as a plain in-memory model of the same operations says.
//
//	operations (workload.go) ─┬─► clients (client.go) ─► system ─► check (check.go)
//	                          └─► model (model.go) ──────────────────┘
//
// Among the operations are accounts that are deleted and come back, some in a phase
// of their purge that is waited for (back.go); servers that overwrite user documents, and
// so drop the functions' two fields of them, or write older ones back; and clients that mean harm: post ids over 64
// bytes, the hash of another's, another's with the tail of a range or of a relation,
// values of a copied field that no app expects (hostile.go), and writes that the rules
// have to refuse, tried through the rules (forbidden.go, hostile_audience.go). Posts go to
// their author's followers, to groups, to some and to nobody, and are hidden and shown
// (audience.go); accounts and groups close, and are asked to let others follow
// (requests.go). A run of 200 operations or more has at least one of each, and says so
// where it has not. It ends with changes of audiences that nothing hides again (early.go).
// With a Delay of minutes, events are late by as much.
//
// A run may have timelines, in one of four forms (timelines.go), with a backfill and a cap of its own. People change
// their names, which posts copy. Unless it is plain, every other account decides (readers.go): what it hides, by
// kinds and by posts, what it has read, and that it is away for a time; in items, comments lift, and while
// the run goes on, no entry may fall (places.go). At the end, when nothing is in flight, some go and some
// return. With Blocks, readers block who has sent them a post, and take it back. With Off, timelines are
// off for a third of the operations, and repaired by the command when they are on again (deliveries.go).
// With Tallies, people like posts, comment on them, and take it back: numbers and notifications have to be what is
// there at the end (tallied.go). With Brake, the brake is on for a third of them (brake.go). Where the events' chaos has Lose, sampling mends
// what lost events have left out (mend.go).
//
// While it runs, job documents are watched for what convergence would hide
// (safety.go). Only the functions suffer: the clients' own writes are
// acknowledged or repeated, and the check is made when nothing is in flight.
//
// The operations and what is to go wrong follow from a seed. When it goes wrong
// does not: processes race. So a seed that found a difference may have to be
// run more than once to find it again.
package chaos
