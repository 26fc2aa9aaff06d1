// Package console is how the command line talks to a person: progress on work
// that takes longer than a second, and tables of what a database holds.
//
// It never decides what is printed, only how; what machines read does not go
// through it.
package console
