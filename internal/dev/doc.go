// Package dev runs everything on this machine: the Firestore emulator with the
// project's rules, the broker that delivers its events, and the functions, in
// processes of their own as production has them. The commands dev and demo and
// the check on real data are built on it.
//
//	this process ── starts ──> Firestore emulator (Java) ── events ──┐
//	  broker  <──────────────────────────────────────────────────────┘
//	    └─ deliveries ──> balancer ──> workers: functions (children: see [Serve])
//
// Each worker is a child because the functions framework cannot be stopped,
// prints on standard output, and reads its configuration from the environment.
// A worker can be killed at any time ([System.Kill]) and is replaced.
// Tests that want the functions in their own process use package local.
//
//	system, err := dev.Start(ctx, dev.Options{Project: "demo-relationindex"})
//	...
//	defer system.Close()
//	// write with system.Client(), or with any client of system.FirestoreHost()
//	err = system.Idle(ctx)
package dev
