// Package chaos runs a random workload on the whole system and injects faults.
// Events are duplicated, delayed, reordered or fail at the first attempt.
// Calls to Firestore fail before or after they take effect.
// Transactions stall, and worker processes are killed.
// Afterwards, every document must match what an oracle derives from the clients' writes alone.
//
//	operations (testkit/clients) ──► clients (client.go) ─┬─► Firestore and functions ────────► check (check.go)
//	                                                      └─► testkit/oracle/history.go ──────────┘
//	                                                          (oracle.go configures the oracle)
//
// # Operations
//
// A run of 200 operations or more has at least one of each kind, and reports a kind that is missing:
//
//   - Accounts are deleted and come back, some in a chosen phase of their purge.
//   - Servers overwrite user documents. This drops the functions' two fields, or restores older values.
//   - Hostile clients write post ids over 64 bytes, the hash of another post's id, another post's id
//     with the tail of a range or a relation, and unexpected values of a copied field.
//   - Clients try writes that the rules must reject.
//   - Posts go to the author's followers, to groups, to some readers or to nobody, and are hidden and
//     shown.
//   - Accounts and groups close, and receive follow requests.
//
// A run ends with changes of audiences that no later operation hides. With a Delay of minutes, events are late by as much.
//
// # Options
//
//   - Timeline: a run may have timelines in one of four forms, with a backfill and a cap (timelines.go).
//     People change their names, which posts copy.
//   - Unless Plain is set, every other account has settings: kinds and posts that it
//     hides, what it has read, and a time away. In items, comments lift posts. During the run, no entry
//     may fall (places.go). At the end, when nothing is in flight, some readers leave and some return (rest.go).
//   - Blocks: readers block authors who sent them a post, and unblock them.
//   - Off: timelines are off for a third of the operations; the repair command then mends them
//     (repairs.go).
//   - Tallies: people like posts, comment on them, and undo both. At the end, numbers and notifications
//     must match the documents (testkit/oracle/tallies.go).
//   - Brake: the brake is on for a third of the operations (waits.go).
//   - Lose, an option of the events' chaos: sampling mends what lost events left out (repairs.go).
//
// # Checks
//
// During the run, job documents are watched for errors that convergence would hide (safety.go).
// Faults affect only the functions: the clients' own writes are acknowledged or repeated.
// The final check runs when nothing is in flight.
//
// # Seeds
//
// A seed determines the operations and the faults. It does not determine their timing, because
// processes race. Run a seed that found a difference again, more than once if necessary.
package chaos
