//go:build long

package chaos

import (
	"os"
	"testing"
	"time"

	"example.com/relationindex/emulator/chaos"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/schema"
)

// runOnce is a run that could be made.
func runOnce(t *testing.T, o Options) Result {
	t.Helper()
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r)
	return r
}

// noDifferences fails for each difference that was kept.
func noDifferences(t *testing.T, r Result) {
	t.Helper()
	for _, difference := range r.Shown {
		t.Error(difference)
	}
	if r.Differences > 0 {
		t.Errorf("%d differences with seed %d; logs are in %s", r.Differences, r.Seed, r.Logs)
	}
}

func TestAllFaultsTogetherLoseNothing(t *testing.T) {
	parallel(t)
	r := runOnce(t, Options{
		Workload:  Workload{Seed: 1, Ops: 600, Users: 60, Posts: 16},
		Workers:   3,
		Chaos:     chaos.Rates{Duplicate: 0.3, Reorder: 0.3, Delay: 200 * time.Millisecond, Drop: 0.1, Seed: 1},
		Faults:    faults.Plan{Rate: 0.05, Stall: 0.02, StallFor: 4 * time.Second, Seed: 1},
		KillEvery: 200,
	})
	noDifferences(t, r)
	r.wants(t, "events", "redeliveries", "duplicates", "dropped deliveries", "refused writes", "kills", "faults", "runs of jobs", "writes")
}

// wants fails for each of the names that the run had none of.
func (r Result) wants(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if r.Counts[name] == 0 {
			t.Errorf("%s: 0, so the test tests less than it says", name)
		}
	}
}

// Numbers and notifications match documents, and lost events are repaired. How many there are depends on the faults.
func TestTalliesMatchDocumentsUnderAllFaults(t *testing.T) {
	parallel(t)
	r := runOnce(t, Options{
		Workload:  Workload{Seed: 1, Ops: 600, Users: 40, Posts: 16, Tallies: true, Blocks: true},
		Workers:   3,
		Chaos:     chaos.Rates{Duplicate: 0.3, Reorder: 0.3, Delay: 200 * time.Millisecond, Drop: 0.1, Lose: 0.02, Seed: 1},
		Faults:    faults.Plan{Rate: 0.05, Stall: 0.02, StallFor: 4 * time.Second, Seed: 1},
		KillEvery: 200,
	})
	noDifferences(t, r)
	r.wants(t, "actors that notifications spare", "lost events")
	if r.Counts["numbers"] < 50 || r.Counts["notifications"] < 30 {
		t.Error("few numbers or notifications: the test tests less than it says")
	}
}

// In production's weather, too. Its waits are shorter here: indexes build for four seconds, and every twelve seconds half of all
// calls fail for a while. Run reports weather that does nothing, and events that it loses.
func TestProductionWeatherLosesNothing(t *testing.T) {
	parallel(t)
	noDifferences(t, runOnce(t, Options{
		Workload: Workload{Seed: 1, Ops: 300, Users: 40, Posts: 16},
		Workers:  3, Weather: 0.02, KillEvery: 100,
	}))
}

// Events are late by up to half a minute. Sweep runs every five seconds here, and treats the events of jobs as
// lost after ten. The jobs still end.
func TestJobsEndWithEventsLaterThanSweep(t *testing.T) {
	parallel(t)
	r := runOnce(t, Options{
		Workload: Workload{Seed: 1, Ops: 200, Users: 24, Posts: 12},
		Chaos:    chaos.Rates{Reorder: 1, Delay: 30 * time.Second, Seed: 1},
	})
	noDifferences(t, r)
	r.wants(t, "runs of jobs", "jobs that Sweep queued again")
}

// Events are lost for good. Sampling repairs the missing changes, in relations and in timelines.
func TestSamplingRepairsLostEvents(t *testing.T) {
	t.Parallel()
	for _, form := range []Form{"", Items} {
		t.Run("timeline "+string(form), func(t *testing.T) {
			parallel(t)
			r := runOnce(t, Options{
				Timeline: form, Plain: true,
				Workload: Workload{Seed: 1, Ops: 200, Users: 24, Posts: 12},
				Chaos:    chaos.Rates{Lose: 0.1, Seed: 1},
			})
			noDifferences(t, r)
			r.wants(t, "lost events", "documents that sampling mended")
		})
	}
}

// The brake is turned on and off during the run, and nothing is lost.
func TestBrakeDuringRunLosesNothing(t *testing.T) {
	t.Parallel()
	for _, form := range []Form{"", Items} {
		t.Run("timeline "+string(form), func(t *testing.T) {
			parallel(t)
			r := runOnce(t, Options{
				Timeline: form, Plain: true, Brake: true,
				Workload: Workload{Seed: 1, Ops: 300, Users: 24, Posts: 12},
				Workers:  2,
				Chaos:    chaos.Rates{Duplicate: 0.3, Reorder: 0.3, Delay: 200 * time.Millisecond, Drop: 0.1, Seed: 1},
			})
			noDifferences(t, r)
			r.wants(t, "jobs that waited for the brake")
		})
	}
}

// Accounts do more than their hour allows. What waits comes, what they take does not wait, and nothing is lost.
func TestAccountsBeyondTheirHourLoseNothing(t *testing.T) {
	t.Parallel()
	for _, form := range []Form{"", Buckets} {
		t.Run("timeline "+string(form), func(t *testing.T) {
			parallel(t)
			r := runOnce(t, Options{
				Timeline: form, Plain: form != "", Hour: 30,
				Workload: Workload{Seed: 1, Ops: 300, Users: 24, Posts: 12, Blocks: true, Tallies: true},
				Workers:  2,
				Chaos:    chaos.Rates{Duplicate: 0.3, Reorder: 0.3, Delay: 200 * time.Millisecond, Drop: 0.1, Seed: 1},
			})
			noDifferences(t, r)
			if n := r.Counts["works that waited for an hour"]; n < 20 {
				t.Errorf("%d works waited for an hour: the test tests less than it says", n)
			}
		})
	}
}

// Jobs end without Sweep if no process dies, even if more jobs are due than may run.
func TestJobsEndWithoutSweep(t *testing.T) {
	parallel(t)
	r := runOnce(t, Options{ // many jobs of few authors at once: one for nearly each follower of a post
		Workload:  Workload{Seed: 1, Ops: 400, Users: 24, Posts: 16},
		Functions: schema.Config{NoOwnPosts: true, Capacity: 1, InlineLimit: 1, Chunk: 1, Range: 1, CopiedFields: []string{"text", "mood"}},
		Faults:    faults.Plan{Stall: 0.2, StallFor: 2 * time.Second, Seed: 1}, // so that many run at once
		Sweepless: time.Minute,
	})
	noDifferences(t, r)
	if r.wants(t, "runs of jobs"); r.Counts["jobs that Sweep queued again"] > 0 {
		t.Error("Sweep queued jobs again")
	}
}

// A duplicate finds nothing to do, or next to nothing: where each event comes
// twice, what would do all again would make twice the writes.
func TestDuplicatesAddAtMostHalfTheCost(t *testing.T) {
	parallel(t)
	workload := Workload{Seed: 1, Ops: 200, Users: 60, Posts: 16}
	quiet := runOnce(t, Options{Workload: workload})
	noDifferences(t, quiet)
	twice := runOnce(t, Options{Workload: workload, Chaos: chaos.Rates{Duplicate: 1, Seed: 1}})
	noDifferences(t, twice)
	if twice.wants(t, "duplicates"); 2*twice.Counts["writes"] > 3*quiet.Counts["writes"] {
		t.Errorf("duplicates make %d writes of %d, want at most half as many again", twice.Counts["writes"], quiet.Counts["writes"])
	}
}

func removeLogs(t *testing.T, r Result) {
	t.Helper()
	if r.Logs == "" {
		return
	}
	if err := os.RemoveAll(r.Logs); err != nil {
		t.Error(err)
	}
}
