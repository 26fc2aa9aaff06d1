package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/relationindex/bench/internal/program"
)

func TestArgumentsAreChecked(t *testing.T) {
	for _, args := range [][]string{
		{"-seeds", "0"}, {"-ops", "0"}, {"-users", "1"}, {"-posts", "0"}, {"-workers", "0"}, {"-kill-every", "-1"},
		{"-faults", "1.1"}, {"-stalls", "-0.1"}, {"-faults", "NaN"}, {"-chaos", "duplicate=2"}, {"-chaos", "nonsense"}, {"-timeline", "weeks"}, {"-timeline", "items", "-horizon", "3h"},
		{"-timeline", "items", "-chaos", "lose=0.1"}, {"-timeline", "items", "-plain", "-off", "-chaos", "lose=0.1"}, {"-timeline", "items", "-off", "-brake"}, {"-nonsense"}, {"extra"},
	} {
		if _, err := parse(args); !errors.Is(err, program.ErrUsage) {
			t.Errorf("parse(%q): %v, want %v", args, err, program.ErrUsage)
		}
	}
}

// The printed command for repeating a run produces the same run.
func TestRepeat(t *testing.T) {
	o, err := parse([]string{"-seeds", "3", "-ops", "70", "-users", "9", "-posts", "4", "-chaos", "duplicate=0.5,drop=0.2,lose=0.1", "-plain", "-brake", "-faults", "0.3", "-stalls", "0.1", "-stall-for", "3s", "-kill-every", "7", "-workers", "2", "-timeline", "ring", "-weather", "0.1", "-program", "/other/chaos"})
	if err != nil {
		t.Fatal(err)
	}
	args, ok := strings.CutPrefix(o.repeat(8), "go run ./bench/chaos ")
	if !ok {
		t.Fatal(o.repeat(8))
	}
	again, err := parse(strings.Fields(strings.ReplaceAll(args, `"`, "")))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := again.withSeed(again.seed), o.withSeed(8); again.seeds != 1 || got.Timeline != want.Timeline || got.Brake != want.Brake || got.Workload != want.Workload ||
		got.Chaos != want.Chaos || got.Faults != want.Faults || got.KillEvery != want.KillEvery || got.Workers != want.Workers || !slices.Equal(got.Command, want.Command) {
		t.Errorf("%s\nmakes %+v, want %+v", o.repeat(8), got, want)
	}
}
