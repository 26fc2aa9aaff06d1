// Package command is what the commands of the command line share: the database that
// a command works on ([Target]), the errors that decide how the program exits
// ([Usage], [ErrReported]), commands that only have others ([Group]), and text that
// a shell takes ([Quoted]).
//
// It has no command of its own, and says nothing of what one prints: see package console.
package command
