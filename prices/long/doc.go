// Package long holds the formulas of timelines against the meter: each operation in each layout, inline
// and as jobs. These tests take minutes.
package long
