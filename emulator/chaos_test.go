package emulator_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/relationindex/emulator"
	"example.com/relationindex/emulator/chaos"
)

func TestParseChaos(t *testing.T) {
	tests := []struct {
		spec string
		want chaos.Rates
		errs []string
	}{
		{spec: ""},
		{spec: "duplicate=0.3,reorder=0.3,delay=200ms,drop=0.1,seed=7",
			want: chaos.Rates{Duplicate: 0.3, Reorder: 0.3, Delay: 200 * time.Millisecond, Drop: 0.1, Seed: 7}},
		{spec: "seed=18446744073709551615,drop=1", want: chaos.Rates{Drop: 1, Seed: 1<<64 - 1}},
		{spec: "lose=0.01", want: chaos.Rates{Lose: 0.01}},
		{spec: "delay=0s,duplicate=0", want: chaos.Rates{}},
		{spec: "jitter=3", errs: []string{`"jitter=3"`, "duplicate, reorder, delay, drop, lose or seed"}},
		{spec: "drop=0.1,drop=0.1", errs: []string{`"drop=0.1"`, "twice"}},
		{spec: "drop=0,drop=0", errs: []string{"twice"}},
		{spec: "duplicate=1.01", errs: []string{`"duplicate=1.01"`, "0 to 1"}},
		{spec: "reorder=-0.1", errs: []string{`"reorder=-0.1"`, "0 to 1"}},
		{spec: "drop=NaN", errs: []string{`"drop=NaN"`, "0 to 1"}},
		{spec: "drop=", errs: []string{`"drop="`, "0 to 1"}},
		{spec: "delay=-1ms", errs: []string{`"delay=-1ms"`, "not negative"}},
		{spec: "delay=200", errs: []string{`"delay=200"`, "such as 200ms"}},
		{spec: "seed=-1", errs: []string{`"seed=-1"`, "whole number"}},
		{spec: "seed", errs: []string{`"seed"`, "key=value"}},
		{spec: "drop=0.1,", errs: []string{`""`, "key=value"}},
		{spec: "drop=0.1, seed=1", errs: []string{`" seed=1"`, "key"}},
	}
	for _, tt := range tests {
		t.Run(tt.spec, func(t *testing.T) {
			got, err := chaos.Parse(tt.spec)
			emulator.CheckErrors(t, err, tt.errs)
			if got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestChaosValidate(t *testing.T) {
	emulator.CheckErrors(t, chaos.Rates{Duplicate: 1, Reorder: 1, Drop: 1, Delay: time.Hour, Seed: 1}.Validate(), nil)
	emulator.CheckErrors(t, chaos.Rates{Duplicate: -1, Reorder: 2, Drop: 1.5, Lose: 2, Delay: -1}.Validate(),
		[]string{"Chaos.Duplicate = -1", "Chaos.Reorder = 2", "Chaos.Drop = 1.5", "Chaos.Lose = 2", "Chaos.Delay = -1ns"})
}

// chaosTwin is the shortest wait between two deliveries of an event.
const chaosTwin = 5 * time.Millisecond

func anyRates(t *rapid.T) chaos.Rates {
	share := func(name string) float64 {
		return rapid.OneOf(rapid.SampledFrom([]float64{0, 1}), rapid.Float64Range(0, 1)).Draw(t, name)
	}
	return chaos.Rates{
		Duplicate: share("duplicate"), Reorder: share("reorder"), Drop: share("drop"),
		Delay: time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "delay")), Seed: rapid.Uint64().Draw(t, "seed"),
	}
}

func TestRatesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyRates(t)
		if got, err := chaos.Parse(c.String()); err != nil || got != c {
			t.Fatalf("%+v is %q, which reads as %+v, %v", c, c, got, err)
		}
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
	})
}

// Every chaos plan keeps these rules, at any rates.
func TestPlans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyRates(t)
		delay := c.Delay
		if delay == 0 {
			delay = chaos.DefaultDelay
		}
		plan, samePlan := c.Plan(), c.Plan()
		ids := rapid.SliceOfN(rapid.StringMatching(`[abc]`), 1, 20).Draw(t, "documents")
		for _, id := range ids {
			e := emulator.Event{ID: "1", Project: "demo-a", Trigger: "t", Document: "users/" + id}
			got := plan(e)
			e.ID, e.Project = "2", "demo-b" // which decide nothing
			if diff := cmp.Diff(got, samePlan(e)); diff != "" {
				t.Fatalf("the same seed decides otherwise the second time:\n%s", diff)
			}
			if len(got) != 1 && len(got) != 2 {
				t.Fatalf("%d deliveries", len(got))
			}
			if first := got[0].After; first < 0 || first > delay || c.Reorder == 0 && first != 0 {
				t.Fatalf("the first delivery waits %v", first)
			}
			if len(got) == 2 {
				if behind := got[1].After - got[0].After; behind < chaosTwin || behind > max(chaosTwin, delay) {
					t.Fatalf("the second delivery comes %v behind the first", behind)
				}
			}
			for _, d := range got {
				if d.Drop && c.Drop == 0 || !d.Drop && c.Drop == 1 {
					t.Fatalf("dropped: %v, at a rate of %v", d.Drop, c.Drop)
				}
			}
			if (len(got) == 2) && c.Duplicate == 0 || len(got) == 1 && c.Duplicate == 1 {
				t.Fatalf("%d deliveries, at a rate of %v", len(got), c.Duplicate)
			}
		}
	})
}

// As many as the rates say; the rates do not move each other; events of one document differ, as seeds and triggers do.
func TestRates(t *testing.T) {
	const n = 10_000
	count := func(c chaos.Rates, trigger, document string) (duplicates, held, dropped int, kinds []string) {
		plan := c.Plan()
		for i := range n {
			got := plan(emulator.Event{Project: "demo-a", Trigger: trigger, Document: strings.ReplaceAll(document, "{i}", fmt.Sprint(i))})
			duplicates += len(got) - 1
			if got[0].After > 0 {
				held++
			}
			if got[0].Drop {
				dropped++
			}
			kinds = append(kinds, fmt.Sprint(len(got), got[0].After > 0, got[0].Drop))
		}
		return duplicates, held, dropped, kinds
	}
	c := chaos.Rates{Duplicate: 0.3, Reorder: 0.2, Drop: 0.1, Seed: 7}
	near := func(what string, got, want int) {
		t.Helper()
		if got < want*9/10 || got > want*11/10 {
			t.Errorf("%d of %d are %s, want about %d", got, n, what, want)
		}
	}
	var all [][]string
	for _, document := range []string{"users/{i}", "users/a"} { // once each of many documents, many times one
		duplicates, held, dropped, kinds := count(c, "t", document)
		near("duplicated", duplicates, 3000)
		near("held back", held, 2000)
		near("dropped", dropped, 1000)
		all = append(all, kinds)
	}
	_, _, alone, _ := count(chaos.Rates{Drop: 0.1, Seed: 7}, "t", "users/{i}")
	if _, _, dropped, _ := count(c, "t", "users/{i}"); alone != dropped {
		t.Errorf("%d are dropped beside duplicates, %d without: want the same", dropped, alone)
	}
	_, _, _, otherSeed := count(chaos.Rates{Duplicate: 0.3, Reorder: 0.2, Drop: 0.1, Seed: 8}, "t", "users/{i}")
	_, _, _, otherTrigger := count(c, "u", "users/{i}")
	for _, other := range [][]string{all[1], otherSeed, otherTrigger} {
		if slices.Equal(all[0], other) {
			t.Error("others meet the same decisions")
		}
	}
}

// Whatever order the events of different documents are asked about in, and by how many goroutines at once.
func TestPlansAreDecidedByDocument(t *testing.T) {
	c := chaos.Rates{Duplicate: 0.5, Reorder: 0.5, Drop: 0.5, Seed: 1}
	one, many := c.Plan(), c.Plan()
	var want, got sync.Map
	var all sync.WaitGroup
	for i := range 20 {
		e := emulator.Event{Trigger: "t", Document: fmt.Sprint("users/", i)}
		ask := func(plan func(emulator.Event) []emulator.Attempt, into *sync.Map) {
			for n := range 50 {
				into.Store(fmt.Sprint(i, " ", n), plan(e))
			}
		}
		ask(one, &want)
		all.Go(func() { ask(many, &got) })
	}
	all.Wait()
	want.Range(func(key, planned any) bool {
		other, _ := got.Load(key)
		if diff := cmp.Diff(planned, other); diff != "" {
			t.Errorf("event %v (-alone +at once):\n%s", key, diff)
		}
		return true
	})
}

// Events are lost as the rate says, and the others meet the decisions that they meet without it.
func TestLostEvents(t *testing.T) {
	c := chaos.Rates{Duplicate: 0.3, Reorder: 0.2, Drop: 0.1, Seed: 7}
	kept := c.Plan()
	c.Lose = 0.2
	plan := c.Plan()
	const n = 10_000
	lost := 0
	for i := range n {
		e := emulator.Event{Trigger: "t", Document: fmt.Sprint("users/", i)}
		got, want := plan(e), kept(e)
		if got[0].Lose {
			lost++
			want = []emulator.Attempt{{Lose: true}}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("deliveries of event %d (-want +got):\n%s", i, diff)
		}
	}
	if lost < n*18/100 || lost > n*22/100 {
		t.Errorf("%d of %d are lost, want about a fifth", lost, n)
	}
}
