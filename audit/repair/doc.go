// Package repair restores the invariants that package verify checks, and merges half-empty index documents. Only
// commands and tests use it. No function links it.
package repair
