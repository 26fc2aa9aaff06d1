// Package command holds what all commands share: the database that a command works
// on ([Target]), errors that choose the exit code ([Usage], [ErrReported]), commands
// that only group others ([Group]), and quoting for a shell ([Quoted]).
//
// It has no command of its own. What commands print goes through package console.
package command
