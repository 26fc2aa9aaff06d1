// Package emulator runs the Firestore emulator and does for functions on this machine what Eventarc does in production:
// it delivers an event for every change of a document.
//
// The emulator can send events itself, but not as production does: one at a time, with wrong headers, in an encoding of
// its own, and never again when the function failed. So a [Broker] stands between. It accepts each event at once, repairs
// it to what production sends, and delivers it by HTTP: up to [Trigger.Concurrency] at a time, or as many as [Push.Window]
// allows. It delivers again with a growing pause until the function answers 2xx. [Options.Plan] simulates duplicates, delays,
// another order, and lost attempts. Package chaos makes such a plan from a few rates and a seed. [Options.Push] adds the
// pauses, the window and the retention of a subscription in production: see [push.Production]. Package instances adds what
// Cloud Run does in front of a function.
//
//	emulator ── one at a time ──> broker ── concurrently, at least once ──> function
//	   ^                                                                       │
//	   └───────────────────────────── writes ──────────────────────────────────┘
//
// A test writes documents, waits with [Broker.Idle] until all consequences have happened, and checks the
// result:
//
//	e, err := emulator.Start(ctx, emulator.Options{})
//	...
//	defer e.Close()
//	err = e.Broker().Register(ctx, "demo-test", emulator.Trigger{
//		Name:      "onUser",
//		EventType: "google.cloud.firestore.document.v1.written",
//		Document:  "users/{userId}",
//		URL:       "http://127.0.0.1:8081/", // the functions framework, or an httptest.Server
//	})
//	// point clients to e.FirestoreHost(), write
//	err = e.Broker().Idle(ctx, "demo-test")
//
// README.md beside this file is a whole test, to copy, with a handler, a trigger and a guard.
//
// Starting takes seconds: start one emulator for all tests and give each test a project id of its own. Ids that begin with
// "demo-" are no real project's, by Firebase's convention. A project may have several databases: see [Trigger.Database] and [Name].
//
// # What it is not for
//
// It is not a production broker. Its queue is in memory, without a bound, and lost with the process. It delivers an event of
// up to 512 KiB until success, unless [Options.Push] limits the time. Production drops an event after 24 hours, or at once if
// the function was deployed without retries. The broker logs a larger event and loses it, as in production. It does not start
// functions. The emulator's own gaps stay: it checks neither composite indexes nor all of Firestore's limits. Package guard
// checks both, in the client. Package auth starts the Auth emulator.
//
// An event whose document id has an ASCII control character other than tab never arrives. The emulator (1.19.9) cannot put
// a line break into a header, and HTTP servers in Go reject the other characters.
//
// A client may wrongly go on believing that a document does not exist. The client listens to the document, and creates it
// while it connects, or while other listeners of the client begin or get updates. The emulator (1.19.9) confirms the absence
// as of a time after the write. So a follow button may show "Follow" after a follow, on a busy system. firebase-tools issue
// 3867 has the same symptom.
package emulator
