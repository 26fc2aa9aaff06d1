// Package operations holds tests of what is done to a living system by hand, on
// the emulator: another capacity, an installation beside followers and posts that
// are there, a restored export. docs/operations tells the steps, and these tests
// take them while clients go on writing.
package operations
