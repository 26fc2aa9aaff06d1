// Package processes runs everything on this machine: the Firestore emulator with the
// project's rules, the broker that delivers its events, and the functions. The functions
// run in processes of their own, as in production. The commands dev and demo and
// the check on real data use this package. The command dev also has the Auth
// emulator, and a site with the app, the console and the console's data.
//
//	this process ── starts ──> Firestore emulator (Java) ── events ──┐
//	  broker  <──────────────────────────────────────────────────────┘
//	    └─ deliveries ──> balancer ──> workers: functions (children: see [Serve])
//	                                      └─> proxy ──> Firestore emulator
//	  site: pages, /Feed ──> balancer     Auth emulator (Node) <── pages, functions
//
// With [Options.AnyProject], clients reach the emulator through package front. It
// gives each project named by a client its triggers. The workers serve its functions too.
//
// The proxy counts what the functions do for events, and has the guards behind it.
// The broker reports each event before its delivery. Package site combines
// both into actions: the cost of one follow or post.
//
// Each worker is a child because the functions framework cannot be stopped,
// prints on standard output, and reads its configuration from the environment.
// A worker can be killed at any time ([System.Kill]) and is replaced.
// Tests that run the functions in their own process use package local.
//
//	system, err := processes.Start(ctx, processes.Options{Project: "demo-relationindex"})
//	...
//	defer system.Close()
//	// write with system.Client(), or with any client of system.FirestoreHost()
//	err = system.Idle(ctx)
package processes
