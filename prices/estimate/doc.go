// Package estimate says what an author costs in a month, in the relation index, timelines
// and the two usual designs: operations by package cost, storage, egress, and the bill at
// list prices. It does arithmetic only.
//
// Sizes are Firestore's documented calculations. docs/cost.md tells the model in words.
//
//	in := estimate.Defaults(20_000_000)
//	report, err := in.Estimate(estimate.ListPrices["us-central1"])
package estimate
