package testkit

import (
	"iter"
	"regexp"
	"testing"
)

// everyCase matches the names of tests that use [Stride], as the Makefile's EVERY_CASE.
const everyCase = "Killed|ThatDies|Formulas"

// Stride is how far apart the cases of a test are: 1, which is every case. With -short, as
// make test has it, it is every thirteenth. make test-long runs these tests again without, by
// their names. Another name ends the test.
func Stride(tb testing.TB) int {
	tb.Helper()
	if !regexp.MustCompile(everyCase).MatchString(tb.Name()) {
		tb.Fatalf("%s: make test-long runs only tests named %s with every case", tb.Name(), everyCase)
	}
	if testing.Short() {
		return 13
	}
	return 1
}

// Cases returns the cases of a table that are a [Stride] apart, the first among them.
func Cases[T any](tb testing.TB, all []T) iter.Seq[T] {
	tb.Helper()
	stride := Stride(tb)
	return func(yield func(T) bool) {
		for i := 0; i < len(all); i += stride {
			if !yield(all[i]) {
				return
			}
		}
	}
}

// Pairs returns each a with each b, a [Stride] apart. The number of bs must not divide by the
// stride: so each a, and in the end each b, has its turn.
func Pairs[A, B any](tb testing.TB, as []A, bs []B) iter.Seq2[A, B] {
	tb.Helper()
	stride := Stride(tb)
	return func(yield func(A, B) bool) {
		for i := 0; i < len(as)*len(bs); i += stride {
			if !yield(as[i/len(bs)], bs[i%len(bs)]) {
				return
			}
		}
	}
}
