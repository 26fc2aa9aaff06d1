// Package costing has the command cost. It reads flags, and prints what package
// cost computes.
package costing
