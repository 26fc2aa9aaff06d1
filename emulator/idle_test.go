package emulator_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/emulator"
)

func TestIdleWaitsForTheWritesOfFunctions(t *testing.T) {
	project := projectOf(t)
	const depth = 20
	var handled atomic.Int64
	register(t, project, "a/{n}", function(t, func(_ http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.TrimPrefix(receive(t, r).document, "a/"))
		if err != nil {
			t.Error(err)
		}
		if n < depth {
			if err := commit(r.Context(), project, "x", fmt.Sprintf("a/%d", n+1)); err != nil {
				t.Error(err)
			}
		}
		handled.Add(1)
	}))
	write(t, project, "x", "a/0")
	idle(t, project)
	if got := handled.Load(); got != depth+1 {
		t.Errorf("%d events were handled when it was idle, want %d", got, depth+1)
	}
}

// A tree of writes, under failures, duplicates and delays, with several callers that wait.
func TestIdleIsNeverEarly(t *testing.T) {
	project := projectOf(t)
	const depth, seed = 6, 20261120
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, seed))
	chance := func(n int) bool {
		mu.Lock()
		defer mu.Unlock()
		return random.IntN(n) == 0
	}
	hooks.Store(project, &hook{plan: func(emulator.Event) []emulator.Attempt {
		if chance(3) {
			return []emulator.Attempt{{After: 3 * time.Millisecond}, {}}
		}
		return nil
	}})
	var handled sync.Map // by document
	register(t, project, "tree/{node}", function(t, func(w http.ResponseWriter, r *http.Request) {
		document := receive(t, r).document
		if chance(4) {
			http.Error(w, "not now", http.StatusServiceUnavailable)
			return
		}
		if len(strings.TrimPrefix(document, "tree/")) < depth {
			if err := commit(r.Context(), project, "x", document+"0", document+"1"); err != nil {
				t.Error(err)
			}
		}
		if chance(4) {
			http.Error(w, "written, but not well", http.StatusServiceUnavailable)
			return
		}
		handled.Store(document, true)
	}))
	write(t, project, "x", "tree/r")
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if err := shared(t).Broker().Idle(t.Context(), project); err != nil {
				t.Error(err)
				return
			}
			n := 0
			handled.Range(func(any, any) bool { n++; return true })
			if n != 1<<depth-1 {
				t.Errorf("%d documents were handled when it was idle, want %d", n, 1<<depth-1)
			}
		})
	}
	wg.Wait()
	if s := shared(t).Broker().Stats(project); s.Queued+s.InFlight+s.Waiting != 0 || s.Redeliveries != s.Failures || s.Failures == 0 || s.Duplicates == 0 {
		t.Errorf("stats are %+v", s)
	}
}

func TestIdleChecksOtherBusyParts(t *testing.T) {
	project := projectOf(t)
	register(t, project, "a/{n}", function(t, func(http.ResponseWriter, *http.Request) {}))
	t.Run("until it is not", func(t *testing.T) {
		var asked atomic.Int64
		hooks.Store(project, &hook{busy: func(ctx context.Context) (string, error) {
			switch asked.Add(1) {
			case 1, 2:
				return "job j1 has 2 of 9 pages", nil
			case 3: // background work that ends by writing a document
				return "job j1 ends", commit(ctx, project, "x", "a/1")
			}
			return "", nil
		}})
		idle(t, project)
		if n := asked.Load(); n < 4 {
			t.Errorf("it was idle after %d questions, and busy at the third", n)
		}
		if s := shared(t).Broker().Stats(project); s.Events != 1 {
			t.Errorf("it was idle after %d events, want 1", s.Events)
		}
	})
	t.Run("and says so", func(t *testing.T) {
		hooks.Store(project, &hook{busy: func(context.Context) (string, error) { return "job j1 has 2 of 9 pages", nil }})
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		err := shared(t).Broker().Idle(ctx, project)
		var notIdle *emulator.NotIdleError
		if !errors.As(err, &notIdle) || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v, want a NotIdleError of a passed deadline", err)
		}
		if diff := cmp.Diff(map[string]string{project: "job j1 has 2 of 9 pages"}, notIdle.Busy); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if !strings.Contains(err.Error(), project+" is busy: job j1 has 2 of 9 pages") {
			t.Errorf("it says %q", err)
		}
	})
	t.Run("and returns the error of the question", func(t *testing.T) {
		errAsk := errors.New("no answer")
		hooks.Store(project, &hook{busy: func(context.Context) (string, error) { return "", errAsk }})
		if err := shared(t).Broker().Idle(t.Context(), project); !errors.Is(err, errAsk) {
			t.Errorf("got %v, want it to wrap %v", err, errAsk)
		}
	})
	hooks.Delete(project) // who waits for all projects asks this one too
}

func TestIdleOfAllProjects(t *testing.T) {
	project := projectOf(t)
	var got inbox
	register(t, project, "a/{n}", function(t, got.keeper(t)))
	write(t, project, "x", "a/1", "a/2")
	idle(t, "")
	if n := len(got.all()); n != 2 {
		t.Errorf("it was idle after %d of 2 events", n)
	}
}

func TestIdleOfAnUnknownProject(t *testing.T) {
	if err := shared(t).Broker().Idle(t.Context(), "demo-nobody"); !errors.Is(err, emulator.ErrUnknownProject) {
		t.Errorf("got %v, want ErrUnknownProject", err)
	}
}

func TestIdleOverHTTP(t *testing.T) {
	project := projectOf(t)
	came, release := make(chan struct{}), make(chan struct{})
	register(t, project, "a/{n}", function(t, func(http.ResponseWriter, *http.Request) {
		close(came)
		<-release
	}))
	ask := func(query string) (status int, answer map[string]any) {
		t.Helper()
		resp, err := http.Get(shared(t).URL() + "/idle?" + query)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return resp.StatusCode, answer
	}
	write(t, project, "x", "a/1")
	<-came
	status, answer := ask("timeout=50ms&project=" + project)
	text, _ := answer["error"].(string)
	delete(answer, "error")
	want := map[string]any{"idle": false, "triggers": []any{map[string]any{
		"project": project, "trigger": "t", "queued": 0.0, "inFlight": 1.0, "waiting": 0.0,
	}}}
	if diff := cmp.Diff(want, answer); diff != "" || status != http.StatusGatewayTimeout {
		t.Errorf("status %d, want 504 (-want +got):\n%s", status, diff)
	}
	if !strings.Contains(text, project+"/t has 0 queued, 1 in flight") {
		t.Errorf("the error says %q", text)
	}
	close(release)
	for query, wantStatus := range map[string]int{
		"project=" + project: 200, "project=" + project + "&timeout=1h": 200, "timeout=1m": 200, "project=demo-nobody": 404,
		"timeout=0s": 400, "timeout=-1s": 400, "timeout=61m": 400, "timeout=soon": 400, "timeout=60": 400,
	} {
		status, answer := ask(query)
		if status != wantStatus || answer["idle"] != (status == 200) {
			t.Errorf("%s: %d %v, want %d", query, status, answer, wantStatus)
		}
		if status == 400 && !strings.Contains(fmt.Sprint(answer["error"]), "up to 1h") {
			t.Errorf("%s: the error %q does not give the rule", query, answer["error"])
		}
	}
}
