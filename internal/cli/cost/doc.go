// Package cost says what feeds cost in Firestore, for the relation index, for timelines
// and for the two usual designs: what one operation is billed, and what an author costs in
// a month. It does arithmetic only.
//
// The formulas of operations ([Index], [Timelines], [FanOutOnWrite], [FanOutOnRead]) are
// what the meter counts, exactly: functions/cost_test.go, cost_horizon_test.go and
// cost_timeline_test.go beside it and, for the other designs, bench/designs/formulas_test.go
// run each operation on the emulator and compare. Sizes are Firestore's documented
// calculations. docs/cost.md tells the model in words.
//
//	in := cost.Defaults(20_000_000)
//	report, err := in.Estimate(cost.ListPrices["us-central1"])
package cost
