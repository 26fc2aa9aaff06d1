// Package prices has what each operation reads, writes and deletes in Firestore, and list prices ([Lists]).
// [Index] has the operations of relations, [Timelines] those of timelines, [PullOptions] a page without
// either. [Author.Months] multiplies them, for an author or for an app.
//
// The formulas are what the meter counts, exactly: the tests of this package run each operation on the
// emulator and compare. docs/cost.md tells the model in words.
//
//	months := prices.AuthorOf(20_000_000).Months(prices.Lists["us-central1"])
package prices
