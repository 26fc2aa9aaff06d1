// Package cost says what operations are billed in Firestore: of the relation index
// ([Index]), of timelines ([Timelines]), and of the two usual designs ([FanOutOnWrite],
// [FanOutOnRead]). It does arithmetic only. Package estimate makes months of them.
//
// The formulas are what the meter counts, exactly: functions/cost_test.go,
// cost_horizon_test.go and cost_timeline_test.go beside it and, for the other designs,
// bench/designs/formulas_test.go run each operation on the emulator and compare.
package cost
