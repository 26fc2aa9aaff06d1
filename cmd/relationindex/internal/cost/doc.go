// Package cost has the command cost. It reads flags and prints. Package prices does the arithmetic.
package cost
