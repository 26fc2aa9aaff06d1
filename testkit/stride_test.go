package testkit_test

import (
	"runtime"
	"strings"
	"testing"

	"example.com/relationindex/testkit"
)

// heard is a test that hears of its failure.
type heard struct {
	testing.TB
	fatal *string
}

func (h heard) Fatalf(format string, _ ...any) {
	*h.fatal = format
	runtime.Goexit()
}

// A test of many cases asks for the stride in its own code, where the Makefile finds it.
func TestCasesAreAskedForByTheTestItself(t *testing.T) {
	for range testkit.Cases(t, []int{1}) {
		t.Run("in a subtest", func(t *testing.T) {
			for range testkit.Pairs(t, []int{1}, []int{1}) {
				if n := testkit.Stride(t); n < 1 {
					t.Errorf("a stride of %d", n)
				}
			}
			for range testkit.CasesByName(t, map[string]int{"a": 1}) {
				func() { testkit.Stride(t) }()
			}
		})
	}
	for name, ask := range map[string]func(testing.TB){
		"the stride": strideOfHelper, "cases": casesOfHelper, "cases by name": casesByNameOfHelper, "pairs": pairsOfHelper,
	} {
		var fatal string
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			ask(heard{t, &fatal})
		}()
		if <-ended; !strings.Contains(fatal, "asks for the stride") {
			t.Errorf("a helper that asks for %s: %q", name, fatal)
		}
	}
}

func strideOfHelper(tb testing.TB) { tb.Helper(); testkit.Stride(tb) }

func casesOfHelper(tb testing.TB) {
	tb.Helper()
	for range testkit.Cases(tb, []int{1}) {
		tb.Log()
	}
}

func casesByNameOfHelper(tb testing.TB) {
	tb.Helper()
	for range testkit.CasesByName(tb, map[string]int{"a": 1}) {
		tb.Log()
	}
}

func pairsOfHelper(tb testing.TB) {
	tb.Helper()
	for range testkit.Pairs(tb, []int{1}, []int{1}) {
		tb.Log()
	}
}
