// Package horizon changes for how many of an audience's newest posts there are relations, in
// a database with posts. It serves commands and tests alone. No function links it.
package horizon
