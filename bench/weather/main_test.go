package weather

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"testing"

	"example.com/relationindex/bench/internal/machine"
	"example.com/relationindex/local/processes"
)

// TestMain is also the program that serves the functions, for [processes.Start].
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "functions" {
		if err := processes.ServeArgs(context.Background(), os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	if err := checkFlags(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if flag.Lookup("test.bench").Value.String() != "" {
		machine.Print(os.Stdout)
	}
	os.Exit(m.Run())
}

// checkFlags joins an error for each flag out of its range: its value and the rule.
func checkFlags() error {
	var errs []error
	for _, f := range []struct {
		name string
		n    int
	}{
		{"burst", *burst}, {"leaving", *leaving}, {"others", *accounts}, {"readers", *readers}, {"storm", *storm},
	} {
		if f.n < 1 {
			errs = append(errs, fmt.Errorf("-%s %d: must be at least 1", f.name, f.n))
		}
	}
	if !(*scale > 0 && *scale <= 1) { // or not a number
		errs = append(errs, fmt.Errorf("-scale %v: must be above 0, at most 1", *scale))
	}
	if !(*rate > 0) || math.IsInf(*rate, 1) {
		errs = append(errs, fmt.Errorf("-rate %v: must be a finite number above 0", *rate))
	}
	if *window <= 0 {
		errs = append(errs, fmt.Errorf("-window %v: must be above 0", *window))
	}
	return errors.Join(errs...)
}
