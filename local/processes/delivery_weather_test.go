//go:build long

package processes_test

import (
	"context"
	"testing"
	"time"

	"example.com/relationindex/emulator/instances"
	"example.com/relationindex/emulator/push"
	"example.com/relationindex/local/processes"
)

// Under production's delivery and instances a follow has its consequences, and again after
// all workers were killed: each function starts cold twice.
func TestSystemUnderProductionDelivery(t *testing.T) {
	subscription, front := push.Production(), instances.Production()
	subscription.Retry = push.Backoff{First: 20 * time.Millisecond, Max: 200 * time.Millisecond}
	subscription.Throttle = push.Backoff{First: time.Millisecond, Max: 100 * time.Millisecond}
	front.ColdStart = 150 * time.Millisecond
	system, err := processes.Start(context.WithoutCancel(t.Context()), processes.Options{Project: "demo-delivery-weather", Workers: 2, Push: subscription, Instances: &front})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := system.Close(); err != nil {
			t.Error(err)
		}
		if err := system.RemoveLogs(); err != nil {
			t.Error(err)
		}
	}()
	follow := func(follower string) (took time.Duration) {
		began := time.Now()
		set(t, system.Client().Doc("users/ada/followers/"+follower), serverTime)
		wantIdle(t, system)
		took = time.Since(began)
		if _, err := system.Client().Doc("users/" + follower + "/following/ada").Get(t.Context()); err != nil {
			t.Errorf("%s does not follow: %v", follower, err)
		}
		return took
	}
	if took := follow("bob"); took < front.ColdStart {
		t.Errorf("the first follow took %v, want at least a cold start", took)
	}
	before := system.PIDs()
	if err := system.KillAll(); err != nil {
		t.Fatal(err)
	}
	if took := follow("cay"); took < front.ColdStart {
		t.Errorf("the first follow after the restart took %v, want at least a cold start", took)
	}
	if got := system.Instances("OnFollowerWritten").ColdStarts; got < 2 {
		t.Errorf("%d instances of OnFollowerWritten started, want one before the restart and one after it", got)
	}
	if after := system.PIDs(); system.Kills() != 2 || len(before) != 2 || len(after) == 0 || after[0] == before[0] {
		t.Errorf("%d were killed, of %v; now there are %v", system.Kills(), before, after)
	}
}
