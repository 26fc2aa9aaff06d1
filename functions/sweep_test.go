package functions_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/config"
)

// The event of a job is lost for good; what Cloud Scheduler does makes up for it.
func TestSweepRunsAJobWhoseEventWasLost(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{})
	a.Silence() // events are acknowledged, and nothing is done
	a.must(a.Client.Doc("_functions/post:p1").Set(t.Context(), map[string]any{
		"kind": "relations.post", "args": map[string]any{"post": "p1"},
		"state": "queued", "hop": 1, "wakeAt": time.Now().Add(-time.Minute),
	}))
	a.delivered(1)
	a.wake()
	call := func(method string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		a.Handlers().HTTP("Sweep")(answer, httptest.NewRequestWithContext(t.Context(), method, "/", nil))
		return answer
	}
	if got := call(http.MethodGet).Code; got != http.StatusMethodNotAllowed {
		t.Errorf("GET is answered %d, want 405", got)
	}
	for _, want := range []string{`{"due":1,"woken":1,"failed":0}`, `{"due":0,"woken":0,"failed":0}`} {
		if got := call(http.MethodPost); got.Code != http.StatusOK || strings.TrimSpace(got.Body.String()) != want {
			t.Errorf("Sweep answers %d %s, want %s", got.Code, got.Body, want)
		}
	}
	a.idle()
	job, err := chunker.New(a.Client, chunker.Options{}).Get(t.Context(), "post:p1")
	if err != nil || job.State != chunker.Done || job.Hop != 2 {
		t.Errorf("job is %s at hop %d (%v), want done at 2", job.State, job.Hop, err)
	}
}

// delivered waits until that many events of the project have been taken, while
// a job that nothing runs keeps it from being idle.
func (a *app) delivered(events int64) {
	a.t.Helper()
	limit := time.After(time.Minute)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		s := theMachine(a.t).Emulator.Broker().Stats(a.ID)
		if s.Events >= events && s.Queued+s.InFlight+s.Waiting == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			a.t.Fatalf("%+v, want %d events delivered", s, events)
		}
	}
}
