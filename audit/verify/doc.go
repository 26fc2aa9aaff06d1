// Package verify checks the invariants of a database at rest: see package schema. It
// changes nothing, and serves commands and tests alone. No function links it.
package verify
