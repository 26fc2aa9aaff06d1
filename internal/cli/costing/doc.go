// Package costing has the command cost. It reads flags and prints. Package cost does
// the arithmetic.
package costing
