package testkit

import (
	"iter"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Stride is how far apart the cases of a test are: 1, which is every case, and with -short, as
// make test has it, 13. make test-long runs the tests that call it, [Cases], [CasesByName] or [Pairs]
// without (EVERY_CASE). It finds them by their code: so it fails tb if a helper of the test calls.
func Stride(tb testing.TB) int {
	tb.Helper()
	if caller, ok := calledBy(tb.Name()); !ok {
		tb.Fatalf("%s asks for the stride: make test-long tries every case only of tests that ask themselves", caller)
	}
	if testing.Short() {
		return 13
	}
	return 1
}

// calledBy returns the function that calls this package, and whether it is the test of that name, or
// a function in it.
func calledBy(test string) (caller string, ok bool) {
	test, _, _ = strings.Cut(test, "/")
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		frame, more := frames.Next()
		pkg, name, _ := strings.Cut(path.Base(frame.Function), ".") // generic ones are Cases[...]
		if pkg != "testkit" || !more {
			outer, _, _ := strings.Cut(name, ".")
			outer, _, _ = strings.Cut(outer, "-") // TestX-range1: the body of a loop
			return frame.Function, outer == test
		}
	}
}

// Cases returns the cases of a table that are a [Stride] apart. The one in the middle is among
// them: first in a table is what is easiest.
func Cases[T any](tb testing.TB, all []T) iter.Seq[T] {
	tb.Helper()
	stride := Stride(tb)
	return func(yield func(T) bool) {
		for i := len(all) / 2 % stride; i < len(all); i += stride {
			if !yield(all[i]) {
				return
			}
		}
	}
}

// CasesByName is [Cases] of a table in the order of its names.
func CasesByName[T any](tb testing.TB, all map[string]T) iter.Seq2[string, T] {
	tb.Helper()
	some := Cases(tb, slices.Sorted(maps.Keys(all)))
	return func(yield func(string, T) bool) {
		for name := range some {
			if !yield(name, all[name]) {
				return
			}
		}
	}
}

// Pairs is [Cases] of each a with each b.
func Pairs[A, B any](tb testing.TB, as []A, bs []B) iter.Seq2[A, B] {
	tb.Helper()
	type pair struct {
		a A
		b B
	}
	var all []pair
	for _, a := range as {
		for _, b := range bs {
			all = append(all, pair{a, b})
		}
	}
	some := Cases(tb, all)
	return func(yield func(A, B) bool) {
		for p := range some {
			if !yield(p.a, p.b) {
				return
			}
		}
	}
}
