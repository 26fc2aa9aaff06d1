// Package prices says what operations are billed in Firestore: of the relation index
// ([Index]), of timelines ([Timelines]), of which fan-out on write is one form, and of
// [FanOutOnRead]. It does arithmetic only. Package estimate makes months of them.
//
// The formulas are what the meter counts, exactly: functions/cost_test.go, and
// horizon_test.go, cost_timeline_test.go, cost_cap_test.go and cost_decided_test.go beside it, and
// bench/designs/formulas_test.go run each operation on the emulator and compare.
package prices
