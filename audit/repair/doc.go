// Package repair restores the invariants that package verify checks, and merges half empty
// index documents. It serves commands and tests alone. No function links it.
package repair
