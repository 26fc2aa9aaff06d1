// Package console is how the command line talks to a person: progress on work
// that takes longer than a second, tables of what a database holds, numbers and
// times. Nothing that a client has written acts on the terminal: see [Printable]
// and [Safe].
//
// It never decides what is printed, only how.
package console
