package emulator_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/emulator/instances"
)

// callers send requests to a service whose function takes a while.
type callers struct {
	handler http.Handler
	start   time.Time

	mu      sync.Mutex
	answers []string
	all     sync.WaitGroup
}

func call(s *instances.Service, takes time.Duration) *callers {
	return &callers{start: time.Now(), handler: s.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		number, ok := instances.Number(r.Context())
		if !ok {
			w.WriteHeader(http.StatusInternalServerError)
		}
		w.Header().Set("Instance", fmt.Sprint(number))
		<-time.After(takes)
	}))}
}

// send sends n requests at once. Their answers are noted as "status at instance after".
func (c *callers) send(n int) {
	for range n {
		c.all.Go(func() {
			w := httptest.NewRecorder()
			c.handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", nil))
			c.mu.Lock()
			defer c.mu.Unlock()
			c.answers = append(c.answers, strings.TrimSpace(fmt.Sprint(w.Code, " ", w.Header().Get("Instance"))+fmt.Sprint(" ", time.Since(c.start))))
		})
	}
}

func (c *callers) check(t *testing.T, want ...string) {
	t.Helper()
	c.all.Wait()
	slices.Sort(c.answers)
	if diff := cmp.Diff(want, c.answers); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	c.answers, c.start = nil, time.Now()
}

func TestColdStartDelaysOnlyFirstRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := call(instances.NewService(instances.Production(), 2, 3), time.Second)
		c.send(1)
		c.check(t, "200 0 3s")
		c.send(2)
		c.check(t, "200 0 1s", "200 0 1s")
		c.send(4) // two find room, two begin another instance, and get the room of the first
		c.check(t, "200 0 1s", "200 0 1s", "200 0 2s", "200 0 2s")
		c.send(4)
		c.check(t, "200 0 1s", "200 0 1s", "200 1 1s", "200 1 1s")
		c.send(2) // where the fewest are in flight
		c.check(t, "200 0 1s", "200 1 1s")
	})
}

func TestMinimumInstancesStayWarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := instances.NewService(instances.Options{ColdStart: time.Second, Idle: time.Minute, Minimum: 2}, 10, 3)
		c := call(s, time.Second)
		c.send(1)
		c.all.Wait()
		c.answers, c.start = nil, time.Now()
		c.send(2)
		c.check(t, "200 0 1s", "200 1 1s")
		<-time.After(time.Hour)
		if got := s.Stats().Instances; got != 2 {
			t.Errorf("%d instances are idle, want 2", got)
		}
		s.Stop(nil)
		if got := s.Stats().Instances; got != 2 {
			t.Errorf("%d instances start, want 2", got)
		}
	})
}

func TestFirstRequestWaitsForColdStartAtEveryScale(t *testing.T) {
	for _, scale := range []float64{1, 0.1, 0.001} {
		synctest.Test(t, func(t *testing.T) {
			o := instances.Production()
			o.Scale = scale
			c := call(instances.NewService(o, 1, 1), 0)
			c.send(1)
			c.check(t, fmt.Sprint("200 0 ", max(time.Second, time.Duration(scale*float64(o.ColdStart)))))
		})
	}
}

func TestRequestBeyondConcurrencyWaitsThenGets429(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := instances.NewService(instances.Options{}, 2, 2)
		c := call(s, 8*time.Second)
		c.send(9)
		synctest.Wait()
		if got, want := s.Stats(), (instances.Stats{ColdStarts: 2, Instances: 2, InFlight: 4, Waiting: 5}); got != want {
			t.Errorf("stats are %+v, want %+v", got, want)
		}
		c.check(t, "200 0 16s", "200 0 16s", "200 0 8s", "200 0 8s", "200 1 16s", "200 1 16s", "200 1 8s", "200 1 8s", "429  10s")
		if got := s.Stats(); got.Rejected != 1 || got.Waiting != 0 || got.InFlight != 0 {
			t.Errorf("stats are %+v", got)
		}
	})
}

func TestPendingLimitIsTenSecondsOr3AndAHalfColdStarts(t *testing.T) {
	for _, test := range []struct {
		o    instances.Options
		want string
	}{
		{instances.Options{}, "429  10s"},
		{instances.Options{ColdStart: 4 * time.Second}, "429  14s"},
		{instances.Options{Scale: 0.2}, "429  2s"},
		{instances.Options{ColdStart: 2 * time.Second, Scale: 0.1}, "429  3.5s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := call(instances.NewService(test.o, 1, 1), time.Hour)
			c.send(2)
			c.all.Wait()
			if slices.Sort(c.answers); c.answers[1] != test.want {
				t.Errorf("%+v: %s, want %s", test.o, c.answers[1], test.want)
			}
		})
	}
}

func TestIdleInstanceStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := instances.NewService(instances.Production(), 1, 1)
		c := call(s, time.Second)
		c.send(1)
		c.check(t, "200 0 3s")
		<-time.After(14 * time.Minute)
		c.start = time.Now()
		c.send(1)
		c.check(t, "200 0 1s")
		<-time.After(15 * time.Minute)
		if got := s.Stats().Instances; got != 0 {
			t.Errorf("%d instances are left", got)
		}
		c.start = time.Now()
		c.send(1)
		c.check(t, "200 0 3s")
	})
}

func TestStoppedInstancesStartCold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := instances.NewService(instances.Production(), 1, 3)
		c := call(s, 3*time.Second)
		c.send(3)
		c.check(t, "200 0 5s", "200 1 5s", "200 2 5s")
		s.Stop(func(number int) bool { return number == 1 })
		c.send(3) // the third waits for the cold start
		c.check(t, "200 0 3s", "200 1 5s", "200 2 3s")
		c.send(3) // these are under way while all are stopped, and one waits
		c.send(1)
		synctest.Wait()
		s.Stop(nil)
		c.check(t, "200 0 3s", "200 0 5s", "200 1 3s", "200 2 3s")
		if got := s.Stats(); got.InFlight != 0 || got.Instances != 1 {
			t.Errorf("stats are %+v", got)
		}
	})
}

func TestInstancesOptions(t *testing.T) {
	if err := instances.Production().Validate(); err != nil {
		t.Error(err)
	}
	err := instances.Options{ColdStart: -1, Pending: -2, Idle: -3, Scale: math.Inf(1)}.Validate()
	for _, want := range []string{"ColdStart = -1ns", "Pending = -2ns", "Idle = -3ns", "Scale = +Inf: must be a finite number, 0 or more (0 means 1)"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q in it", err, want)
		}
	}
}
