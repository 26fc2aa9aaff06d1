// Package verify checks the invariants of a database at rest: see package schema. It changes nothing. Only commands and
// tests use it. No function links it.
package verify
