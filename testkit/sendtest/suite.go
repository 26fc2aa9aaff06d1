// Package sendtest is the contract of an app's own delivery ([schema.Delivery]). Every delivery must
// pass.
//
//	func TestMain(m *testing.M) { testkit.Main(m) }
//
//	func TestDelivery(t *testing.T) {
//		sendtest.Suite{Delivery: mail.Delivery("new-post"), Told: told, Reads: 1, Writes: 1}.Run(t)
//	}
//
// No reader is told of a post twice, and a reader who follows the author throughout is told once. That
// holds although events come twice, processes die at any write, reads fail, and people follow, leave
// and are named meanwhile. When an account is deleted, messages to it and messages about its posts are
// gone. The suite needs the Firestore emulator.
//
// It does not test who gets a post: package sending does, for all deliveries.
package sendtest

import (
	"context"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// Suite tests a delivery.
type Suite struct {
	// Delivery is the delivery under test. It writes into no collection of ours.
	Delivery schema.Delivery
	// Told returns the readers who were told of a post, each as often as they were told.
	Told func(ctx context.Context, client *firestore.Client, post string) ([]string, error)
	// Repeats means that a reader may be told twice, if people come or go and a page is repeated. Set it
	// if a message replaces the earlier one, such as a notification on a device. The suite then allows a
	// deletion to delete other readers' documents, since a page's document has several readers. Make sure
	// that nobody misses anything by that.
	Repeats bool
	// Reads and Writes are the cost of Bring for each reader. With Repeats, the cost is not checked.
	Reads, Writes int64
}

// Run runs the suite, as subtests of t.
func (s Suite) Run(t *testing.T) {
	t.Helper()
	t.Run("EachReaderIsToldOnce", s.eachReaderIsToldOnce)
	t.Run("AProcessThatDiesAtAnyCall", s.aProcessThatDiesAtAnyCall)
	t.Run("ADeletedAccount", s.aDeletedAccount)
	if !s.Repeats {
		t.Run("WhatItCosts", s.whatItCosts)
	}
}
