package upgrade

import (
	"maps"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/internal/dev"
	"example.com/relationindex/internal/wire"
)

// Jobs of every kind are half-done when all processes of a release are killed:
// lanes between two steps, and the others with a page applied whose checkpoint is
// not written. The other release finishes them.
func TestEachReleaseFinishesTheJobsOfTheOther(t *testing.T) {
	t.Parallel()
	before, now := previous(t), release(nil)
	var serving atomic.Pointer[release]
	serving.Store(&before)
	half := newStall(3)
	system, err := dev.Start(t.Context(), dev.Options{
		Project: "demo-upgrade", Functions: small(), Workers: 2,
		CommandOf:    func(int) []string { return *serving.Load() },
		Interceptors: []wire.Interceptor{half.interceptor()},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := system.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("logs are in %s", system.Dir())
		} else if err := system.RemoveLogs(); err != nil {
			t.Error(err)
		}
	})
	for _, round := range []struct {
		name, names string
		to          *release
		schema      any // that the jobs have which are left half-done
	}{
		{"upgrade", "1", &now, nil},
		{"rollback", "2", &before, int64(1)},
	} {
		ok := t.Run(round.name, func(t *testing.T) {
			began := time.Now()
			w := &world{System: system, t: t, names: round.names}
			w.settle()
			t.Logf("settled after %v", time.Since(began))
			half.start()
			w.begin()
			w.waitUntilHalf(half)
			found := map[string]int{}
			for id, job := range w.jobs() {
				if job["state"] == "done" || job["lanes"] != int64(0) {
					continue
				}
				found[job["kind"].(string)]++
				state := "running"
				if job["lane"] != nil {
					state = "queued"
				}
				if job["state"] != state || job["done"] == int64(0) && job["phase"] == int64(0) || job["schema"] != round.schema {
					t.Errorf("job %s is %v in phase %v after %v documents, with schema %v", id, job["state"], job["phase"], job["done"], job["schema"])
				}
			}
			if diff := cmp.Diff(jobsOf, found); diff != "" {
				t.Fatalf("half-done jobs (-want +got):\n%s", diff)
			}
			serving.Store(round.to)
			for worker := range system.Workers() {
				if err := system.Kill(worker); err != nil {
					t.Fatal(err)
				}
			}
			half.end()
			killed := time.Now()
			w.follow("meanwhile-", "synced") // while nothing answers
			w.post("synced")
			w.idle()
			t.Logf("half-done after %v, finished %v later", killed.Sub(began), time.Since(killed))
			w.wantRight()
		})
		if !ok {
			return
		}
	}
}

// waitUntilHalf waits until every job that begin makes stands still.
func (w *world) waitUntilHalf(half *stall) {
	w.t.Helper()
	want := 0
	for n := range maps.Values(jobsOf) {
		want += n
	}
	deadline, tick := time.After(time.Minute), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for len(half.jobs()) < want {
		select {
		case <-tick.C:
		case <-w.Done():
			w.t.Fatal(w.Err())
		case <-deadline:
			w.t.Fatalf("half-done are %v; the jobs are %v", half.jobs(), w.jobs())
		}
	}
}
