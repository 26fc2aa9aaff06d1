package upgrade

import (
	"testing"
	"time"

	"example.com/relationindex/emulator"
	"example.com/relationindex/test/chaos"
)

// While one release replaces the other, both get the events of the same authors,
// posts and jobs. Processes of both are killed, events come twice, late and in
// another order, and every reader's feed is what it has to be.
func TestBothReleasesShareTheEvents(t *testing.T) {
	t.Parallel()
	before := previous(t)
	cfg := chaos.Functions()
	cfg.Lane = 2
	r, err := chaos.Run(t.Context(), chaos.Options{
		Workload:  chaos.Workload{Seed: 6, Ops: 300, Users: 12, Posts: 12},
		Functions: cfg,
		Workers:   4,
		CommandOf: func(worker int) []string {
			if worker%2 == 0 {
				return before
			}
			return nil
		},
		Chaos:     emulator.Chaos{Duplicate: 0.2, Reorder: 0.2, Delay: 100 * time.Millisecond, Seed: 6},
		KillEvery: 60,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s\n%s", chaos.Headers(), r.Row())
	for _, difference := range r.Shown {
		t.Error(difference)
	}
	if r.Differences > 0 {
		t.Errorf("%d differences; logs are in %s", r.Differences, r.Logs)
	}
	if r.Kills == 0 || r.Jobs == 0 {
		t.Errorf("%d kills, %d jobs: the test tests less than it says", r.Kills, r.Jobs)
	}
}
