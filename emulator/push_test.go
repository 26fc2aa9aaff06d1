package emulator

import (
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/emulator/push"
)

// scaled is production's subscription with shorter waits.
func scaled(by float64) push.Options {
	p := push.Production()
	p.Scale = by
	return p
}

// twoTriggers is a broker with the triggers "t" and "u". serve answers both, and gets the trigger.
func twoTriggers(p push.Options, serve func(trigger string, r *http.Request) (int, error)) *Broker {
	b := brokerFor(Options{Push: p}, func(r *http.Request) (int, error) { return serve(r.URL.Path[1:], r) },
		func(t *Trigger) { t.URL += "t" })
	b.add("demo-a", Trigger{Name: "u", URL: "http://function.test/u"}.withDefaults())
	return b
}

func sendTo(t *testing.T, b *Broker, trigger, id string) {
	t.Helper()
	m := &message{event: Event{ID: id, Project: "demo-a", Trigger: trigger}, header: http.Header{"Ce-Id": {id}}}
	if err := b.accept("demo-a", trigger, m); err != nil {
		t.Fatal(err)
	}
}

func TestFailingSubscriptionSlowsDownAndRecovers(t *testing.T) {
	for name, fail := range map[string]functionFunc{
		"an error":  func(*http.Request) (int, error) { return 500, nil },
		"429":       func(*http.Request) (int, error) { return 429, nil },
		"no answer": func(r *http.Request) (int, error) { <-r.Context().Done(); return 0, r.Context().Err() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				took := map[string]time.Duration{} // by event
				var start time.Time
				bad := true
				b := twoTriggers(push.Production(), func(trigger string, r *http.Request) (int, error) {
					mu.Lock()
					fails := trigger == "t" && bad && r.Header.Get("Ce-Id") != "good"
					if !fails {
						took[r.Header.Get("Ce-Id")] = time.Since(start)
					}
					mu.Unlock()
					if fails {
						return fail(r)
					}
					return 200, nil
				})
				defer b.stop(ErrClosed)
				for i := range 30 {
					sendTo(t, b, "t", "bad"+strconv.Itoa(i))
				}
				pass(t, 10*time.Minute)
				mu.Lock()
				start = time.Now()
				mu.Unlock()
				sendTo(t, b, "t", "good")
				sendTo(t, b, "u", "other")
				pass(t, time.Hour)
				if pauses := b.Pauses(""); len(pauses) != 1 || pauses["t"] == 0 || len(b.Pauses("")) != 0 {
					t.Errorf("subscriptions paused %v", pauses)
				}
				mu.Lock()
				if other, came := took["other"]; !came || other != 0 {
					t.Errorf("the event of another subscription took %v (%t)", other, came)
				}
				if took["good"] < 5*time.Second {
					t.Errorf("an event took %v while all others of its subscription fail", took["good"])
				}
				bad = false
				mu.Unlock()
				pass(t, 3*time.Hour)
				if _, outstanding := b.work("demo-a"); outstanding != 0 {
					t.Fatalf("%d deliveries are outstanding", outstanding)
				}
				mu.Lock()
				start = time.Now()
				mu.Unlock()
				sendTo(t, b, "t", "later")
				pass(t, time.Minute)
				mu.Lock()
				defer mu.Unlock()
				if later, came := took["later"]; !came || later != 0 {
					t.Errorf("after the recovery an event took %v (%t)", later, came)
				}
			})
		})
	}
}

// An event that always fails does not delay the others, even directly after a failure.
func TestPoisonEventDelaysNoOtherEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed, arrived := make(chan struct{}, 1000), make(chan time.Time, 1)
		b := brokerFor(Options{Push: push.Production()}, func(r *http.Request) (int, error) {
			if r.Header.Get("Ce-Id") == "poison" {
				failed <- struct{}{}
				return 500, nil
			}
			arrived <- time.Now()
			return 200, nil
		})
		defer b.stop(ErrClosed)
		send(t, b, "poison")
		for range 30 {
			<-failed
		}
		synctest.Wait()
		sent := time.Now()
		send(t, b, "good")
		if took := (<-arrived).Sub(sent); took > 200*time.Millisecond {
			t.Errorf("the event after it took %v", took)
		}
	})
}

// One failure has a pause, also when the next event comes a little later than its answer.
func TestOneFailurePausesTheSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		arrived := make(chan time.Time, 2)
		b := brokerFor(Options{Push: push.Production()}, func(r *http.Request) (int, error) {
			arrived <- time.Now()
			return map[string]int{"bad": 500, "good": 200}[r.Header.Get("Ce-Id")], nil
		})
		defer b.stop(ErrClosed)
		send(t, b, "bad")
		first := <-arrived
		pass(t, 10*time.Millisecond)
		send(t, b, "good")
		if pause := (<-arrived).Sub(first); pause < 95*time.Millisecond || pause > 100*time.Millisecond {
			t.Errorf("the next event was delivered after %v, want about 100 ms", pause)
		}
	})
}

func TestEventIsDroppedAfterRetention(t *testing.T) {
	for _, test := range []struct {
		scale     float64
		first     []time.Duration
		retention time.Duration
	}{
		{0, []time.Duration{0, 20e9, 60e9, 140e9, 300e9, 620e9, 1220e9, 1820e9, 2420e9}, 24 * time.Hour},
		{0.1, []time.Duration{0, 2e9, 6e9, 14e9, 30e9, 62e9, 122e9, 182e9, 242e9}, 24 * time.Hour},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := &recorder{start: time.Now()}
			b := brokerFor(Options{Push: scaled(test.scale)}, func(req *http.Request) (int, error) {
				r.note(req)
				return 500, nil
			})
			defer b.stop(ErrClosed)
			send(t, b, "e")
			pass(t, test.retention-time.Second)
			if got := b.Stats("demo-a"); got.Waiting != 1 || got.Expired != 0 {
				t.Errorf("before the end: %+v", got)
			}
			pass(t, 2*time.Second)
			if got := b.Stats("demo-a"); got.Waiting != 0 || got.Expired != 1 {
				t.Errorf("after the end: %+v", got)
			}
			if _, outstanding := b.work("demo-a"); outstanding != 0 {
				t.Errorf("%d deliveries are outstanding", outstanding)
			}
			var got []time.Duration
			for _, a := range r.arrivals[:len(test.first)] {
				got = append(got, a.After)
			}
			if diff := cmp.Diff(test.first, got); diff != "" {
				t.Errorf("scale %v: deliveries (-want +got):\n%s", test.scale, diff)
			}
		})
	}
}

func TestPushWindowGrowsOnSuccessAndShrinksOnFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var status atomic.Int64
		status.Store(200)
		b := brokerFor(Options{Push: push.Options{Window: 3}}, func(*http.Request) (int, error) {
			err := sleep(t.Context(), 100*time.Millisecond)
			return int(status.Load()), err
		}, func(t *Trigger) { t.Concurrency = 1 })
		defer b.stop(ErrClosed)
		for i := range 1000 {
			send(t, b, strconv.Itoa(i))
		}
		var got []int
		for i := range 6 {
			synctest.Wait()
			got = append(got, b.Stats("").InFlight)
			if i == 3 {
				status.Store(500)
			}
			pass(t, 100*time.Millisecond)
		}
		if diff := cmp.Diff([]int{3, 6, 12, 24, 1, 1}, got); diff != "" {
			t.Errorf("in flight each 100 ms (-want +got):\n%s", diff)
		}
	})
}
