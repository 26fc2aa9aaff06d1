// Package operate has the commands that work on the index of one database: verify,
// repair, trace, purge, import, export and feed. Each prints on standard error which database
// it works on.
//
// It reads flags and prints results. The work itself is in the packages below audit, and in
// files. The command jobs is in package jobs.
package operate
