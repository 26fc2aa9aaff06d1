// Package prices computes what each operation reads, writes and deletes in Firestore. [Lists] has the list
// prices. [Index] has the operations of relations, and [Timelines] those of timelines. [PullOptions] has a
// page without either. [Author.Months] multiplies them, for an author or for an app.
//
// The formulas are exact: the tests of this package run each operation on the emulator, and compare the
// result with the meter. docs/cost.md explains the model in words.
//
//	months := prices.AuthorOf(20_000_000).Months(prices.Lists["us-central1"])
package prices
