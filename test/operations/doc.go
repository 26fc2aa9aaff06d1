// Package operations tests manual changes to a living system, on the emulator: a new capacity, an
// installation with followers and posts already there, a restored export. The tests follow the steps
// of docs/operations while clients go on writing.
package operations
