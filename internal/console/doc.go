// Package console formats the output of the command line for a person: progress of
// work that takes longer than a second, tables, numbers and times. Clients' texts
// cannot act on the terminal: see [Printable] and [Safe].
//
// The package never decides what is printed, only how.
package console
