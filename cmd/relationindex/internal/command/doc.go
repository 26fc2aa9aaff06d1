// Package command holds the shared parts of all commands: the database that a command works
// on ([Target]), errors that choose the exit code ([Usage], [ErrReported]), commands
// that only group others ([Group]), and quoting for a shell ([Quoted]).
//
// The package has no command of its own. Package console formats the output of commands.
package command
