// Package long compares the formulas of timelines with the meter: each operation in each layout, inline
// and as jobs. These tests take minutes.
package long
