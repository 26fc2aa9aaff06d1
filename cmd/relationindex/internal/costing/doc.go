// Package costing has the command cost. It reads flags and prints. Package estimate does
// the arithmetic.
package costing
