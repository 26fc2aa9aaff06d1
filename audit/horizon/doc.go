// Package horizon changes how old posts may be that have relations, in a database with posts.
// It serves commands and tests alone. No function links it.
package horizon
