// Package operate has the commands that work on the index of one database: verify,
// repair, trace, purge, import, export and feed. Each command prints the name of its database
// on standard error.
//
// The package reads flags and prints results. The packages below audit and the package files
// do the work. The command jobs is in package jobs.
package operate
