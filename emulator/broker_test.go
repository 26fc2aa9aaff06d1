package emulator

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"

	"example.com/relationindex/emulator/push"
)

// functionFunc is a function without a network: with it time in a test is synctest's.
type functionFunc func(r *http.Request) (status int, err error)

func (f functionFunc) RoundTrip(r *http.Request) (*http.Response, error) {
	status, err := f(r)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

// brokerFor returns a broker whose only trigger, "t" of "demo-a", is served by f. Its back-off has no jitter.
func brokerFor(o Options, f functionFunc, change ...func(*Trigger)) *Broker {
	o.Logger = slog.New(slog.DiscardHandler)
	b := newBroker(o.withDefaults(), nil)
	b.client.Transport = f
	b.random = func() float64 { return 0 }
	t := Trigger{Name: "t", URL: "http://function.test/"}
	for _, c := range change {
		c(&t)
	}
	b.add("demo-a", t.withDefaults())
	return b
}

// send lets the broker accept an event with the id.
func send(tb testing.TB, b *Broker, ids ...string) {
	tb.Helper()
	for _, id := range ids {
		m := &message{event: Event{ID: id, Project: "demo-a"}, header: http.Header{"Ce-Id": {id}}}
		if err := b.accept("demo-a", "t", m); err != nil {
			tb.Fatal(err)
		}
	}
}

// arrival is a delivery as the function saw it.
type arrival struct {
	ID    string
	After time.Duration
}

// recorder is a function that notes what came when.
type recorder struct {
	mu       sync.Mutex
	start    time.Time
	arrivals []arrival
}

func (r *recorder) note(req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.arrivals = append(r.arrivals, arrival{req.Header.Get("Ce-Id"), time.Since(r.start)})
}

func (r *recorder) check(tb testing.TB, want []arrival) {
	tb.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if diff := cmp.Diff(want, r.arrivals); diff != "" {
		tb.Errorf("deliveries (-want +got):\n%s", diff)
	}
}

// pass lets time go by in the bubble of synctest, where none does.
func pass(tb testing.TB, d time.Duration) {
	tb.Helper()
	if err := sleep(tb.Context(), d); err != nil {
		tb.Fatal(err)
	}
}

func TestPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plans := map[string][]Attempt{
			"late":  {{After: time.Hour}},
			"twice": {{After: time.Minute}, {}},
			"never": {}, // is once, at once
		}
		r := &recorder{start: time.Now()}
		b := brokerFor(Options{Plan: func(e Event) []Attempt { return plans[e.ID] }},
			func(req *http.Request) (int, error) { r.note(req); return 200, nil },
			func(t *Trigger) { t.Concurrency = 1 })
		defer b.stop(ErrClosed)
		send(t, b, "late", "twice", "never", "plain")
		synctest.Wait()
		if got, want := b.Stats("demo-a"), (Stats{Events: 4, Deliveries: 3, Duplicates: 1, Waiting: 2}); got != want {
			t.Errorf("stats are %+v, want %+v", got, want)
		}
		pass(t, 2*time.Hour)
		r.check(t, []arrival{{"twice", 0}, {"never", 0}, {"plain", 0}, {"twice", time.Minute}, {"late", time.Hour}})
		if got, want := b.Stats(""), (Stats{Events: 4, Deliveries: 5, Duplicates: 1}); got != want {
			t.Errorf("stats are %+v, want %+v", got, want)
		}
	})
}

// The observer hears of an event before its function does, once however often that gets it, and may ask the broker.
func TestObserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b *Broker
		var told []string
		r := &recorder{start: time.Now()}
		b = brokerFor(Options{
			Observe: func(e Event) {
				r.check(t, nil)
				told = append(told, e.ID)
				if got := b.Stats("demo-a").Events; got != int64(len(told)-1) {
					t.Errorf("%d events were accepted before %s, want %d", got, e.ID, len(told)-1)
				}
			},
			Plan: func(Event) []Attempt { return []Attempt{{After: time.Second}, {After: time.Second}} },
		}, func(req *http.Request) (int, error) { r.note(req); return 200, nil })
		defer b.stop(ErrClosed)
		send(t, b, "a", "b")
		if err := b.accept("demo-a", "unknown", &message{event: Event{ID: "c"}}); err == nil {
			t.Error("an event of no trigger was accepted")
		}
		pass(t, time.Minute)
		if want := []string{"a", "b"}; !slices.Equal(told, want) || len(r.arrivals) != 4 {
			t.Errorf("the observer was told of %v, and the function got %d deliveries; want %v and 4", told, len(r.arrivals), want)
		}
	})
}

func TestFailuresAreRedelivered(t *testing.T) {
	failures := map[string]functionFunc{
		"an error status":       func(*http.Request) (int, error) { return 503, nil },
		"a redirect":            func(*http.Request) (int, error) { return 302, nil },
		"a broken connection":   func(*http.Request) (int, error) { return 0, io.ErrUnexpectedEOF },
		"no answer in a minute": func(r *http.Request) (int, error) { <-r.Context().Done(); return 0, r.Context().Err() },
	}
	for _, name := range slices.Sorted(maps.Keys(failures)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &recorder{start: time.Now()}
				b := brokerFor(Options{Push: push.Options{Retry: push.Backoff{First: time.Second, Max: 3 * time.Second}}},
					func(req *http.Request) (int, error) {
						r.note(req)
						if len(r.arrivals) <= 3 { // deliveries of one event come one after the other
							return failures[name](req)
						}
						return 204, nil
					})
				defer b.stop(ErrClosed)
				send(t, b, "e")
				pass(t, time.Hour)
				var took time.Duration
				if strings.HasPrefix(name, "no answer") {
					took = DefaultTimeout
				}
				r.check(t, []arrival{{"e", 0}, {"e", took + time.Second}, {"e", 2*took + 3*time.Second}, {"e", 3*took + 6*time.Second}})
				if got, want := b.Stats("demo-a"), (Stats{Events: 1, Deliveries: 4, Redeliveries: 3, Failures: 3}); got != want {
					t.Errorf("stats are %+v, want %+v", got, want)
				}
			})
		})
	}
}

func TestWaitingRedeliveryUsesNoConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{start: time.Now()}
		b := brokerFor(Options{}, func(req *http.Request) (int, error) {
			r.note(req)
			if req.Header.Get("Ce-Id") == "bad" && time.Since(r.start) == 0 {
				return 500, nil
			}
			return 200, nil
		}, func(t *Trigger) { t.Concurrency = 1 })
		defer b.stop(ErrClosed)
		send(t, b, "bad", "good")
		pass(t, time.Minute)
		r.check(t, []arrival{{"bad", 0}, {"good", 0}, {"bad", push.DefaultFirst}})
	})
}

func TestRegisteringAnewChangesTheConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		b := brokerFor(Options{}, func(*http.Request) (int, error) { <-release; return 200, nil },
			func(t *Trigger) { t.Concurrency = 1 })
		defer b.stop(ErrClosed)
		send(t, b, "1", "2", "3", "4")
		want := func(queued, inFlight int) {
			t.Helper()
			synctest.Wait()
			if s := b.Stats(""); s.Queued != queued || s.InFlight != inFlight {
				t.Errorf("%d queued and %d in flight, want %d and %d", s.Queued, s.InFlight, queued, inFlight)
			}
		}
		want(3, 1)
		b.add("demo-a", Trigger{Name: "t", URL: "http://function.test/", Concurrency: 3, Timeout: time.Hour})
		want(1, 3)
		b.add("demo-a", Trigger{Name: "t", URL: "http://function.test/", Concurrency: 1, Timeout: time.Hour})
		release <- struct{}{}
		want(1, 2)
		release <- struct{}{}
		want(1, 1)
		close(release)
		want(0, 0)
	})
}

func TestStopEndsDeliveries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which fails if a goroutine stays
		b := brokerFor(Options{Plan: func(e Event) []Attempt {
			return map[string][]Attempt{"later": {{After: time.Hour}}}[e.ID]
		}}, func(r *http.Request) (int, error) { <-r.Context().Done(); return 0, r.Context().Err() },
			func(t *Trigger) { t.Concurrency = 1; t.Timeout = 24 * time.Hour })
		send(t, b, "in flight", "queued", "later")
		synctest.Wait()
		idle := make(chan error)
		go func() { idle <- b.Idle(t.Context(), "demo-a") }()
		synctest.Wait()
		start := time.Now()
		b.stop(ErrClosed)
		b.stop(ErrClosed)
		if err := <-idle; !errors.Is(err, ErrClosed) {
			t.Errorf("Idle returned %v, want ErrClosed", err)
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("it took %v", took)
		}
		if got := b.Stats(""); got.InFlight+got.Queued+got.Waiting != 0 || got.Failures != 0 {
			t.Errorf("stats are %+v", got)
		}
		if err := b.accept("demo-a", "t", &message{}); !errors.Is(err, ErrClosed) {
			t.Errorf("accept returned %v, want ErrClosed", err)
		}
		if err := b.Idle(t.Context(), ""); !errors.Is(err, ErrClosed) {
			t.Errorf("Idle returned %v, want ErrClosed", err)
		}
	})
}

func TestIdleNamesBusyParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := brokerFor(Options{
			Plan: func(e Event) []Attempt {
				return map[string][]Attempt{"later": {{After: time.Hour}, {After: time.Hour}}}[e.ID]
			},
		}, func(r *http.Request) (int, error) { <-r.Context().Done(); return 0, r.Context().Err() },
			func(t *Trigger) { t.Concurrency = 1; t.Timeout = 24 * time.Hour })
		defer b.stop(ErrClosed)
		send(t, b, "in flight", "queued", "queued", "queued", "later")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := b.Idle(ctx, "")
		var got *NotIdleError
		if !errors.As(err, &got) || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v, want a NotIdleError of a passed deadline", err)
		}
		want := []TriggerLoad{{Project: "demo-a", Trigger: "t", Queued: 3, InFlight: 1, Waiting: 2}}
		if diff := cmp.Diff(want, got.Triggers); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		const text = "not idle: demo-a/t has 3 queued, 1 in flight, 2 waiting: context deadline exceeded"
		if got.Error() != text {
			t.Errorf("it says %q, want %q", got, text)
		}
	})
}

func TestBrokerRejects(t *testing.T) {
	b := brokerFor(Options{}, func(*http.Request) (int, error) { return 200, nil })
	defer b.stop(ErrClosed)
	good := string(inBase64(eventBody(t, "projects/demo-a/databases/(default)/documents/a/b")))
	b.add("demo-a/blue", Trigger{Name: "t"}.withDefaults())
	inOther := func(database string) string { return string(inBase64(eventBody(t, database+"/documents/a/b"))) }
	tests := []struct {
		name, path, body string
		status           int
	}{
		{"an unknown project", "/functions/projects/demo-b/triggers/t", good, 404},
		{"an unknown trigger", "/functions/projects/demo-a/triggers/u", good, 404},
		{"an event of another project", "/functions/projects/demo-a/triggers/t", inOther("projects/demo-b/databases/(default)"), 400},
		{"an event of another database", "/functions/projects/demo-a/triggers/t", inOther("projects/demo-a/databases/blue"), 400},
		{"the headers of another database", "/functions/projects/demo-a/triggers/t@blue", inOther("projects/demo-a/databases/blue"), 400},
		{"what is no event", "/functions/projects/demo-a/triggers/t", "no event", 400},
		{"too much", "/functions/projects/demo-a/triggers/t", strings.Repeat("A", maxEventBytes+1), 413},
		{"another path", "/functions", good, 404},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, tt.path, strings.NewReader(tt.body))
			r.Header = emulatorHeader("a/b")
			w := httptest.NewRecorder()
			b.handler().ServeHTTP(w, r)
			if w.Code != tt.status {
				t.Errorf("answered %d, want %d", w.Code, tt.status)
			}
		})
	}
}

// Production delivers events of up to 524,288 bytes, and reports no larger one.
func TestTooLargeEventIsLost(t *testing.T) {
	for _, test := range []struct {
		bytes int
		want  Stats
	}{
		{524_288, Stats{Events: 1, Deliveries: 1}},
		{524_289, Stats{TooLarge: 1}},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := brokerFor(Options{}, func(*http.Request) (int, error) { return 200, nil })
			defer b.stop(ErrClosed)
			r := httptest.NewRequest(http.MethodPost, "/functions/projects/demo-a/triggers/t", bytes.NewReader(inBase64(eventOfSize(t, test.bytes))))
			r.Header = emulatorHeader("a/b")
			w := httptest.NewRecorder()
			b.handler().ServeHTTP(w, r)
			synctest.Wait()
			if got := b.Stats("demo-a"); w.Code != http.StatusNoContent || got != test.want {
				t.Errorf("%d bytes: answered %d, and counts %+v, want %+v", test.bytes, w.Code, got, test.want)
			}
		})
	}
}

// eventOfSize returns the body of an event, with size bytes.
func eventOfSize(t *testing.T, size int) []byte {
	t.Helper()
	var data firestoredata.DocumentEventData
	if err := proto.Unmarshal(eventBody(t, "projects/demo-a/databases/(default)/documents/a/b"), &data); err != nil {
		t.Fatal(err)
	}
	padding := size - 100
	for range 3 {
		data.Value.Fields = map[string]*firestoredata.Value{"v": {ValueType: &firestoredata.Value_StringValue{StringValue: strings.Repeat("x", padding)}}}
		body, err := proto.Marshal(&data)
		if err != nil {
			t.Fatal(err)
		}
		if len(body) == size {
			return body
		}
		padding += size - len(body)
	}
	t.Fatalf("no event of %d bytes", size)
	return nil
}

func TestFifo(t *testing.T) {
	var f fifo
	var in, out []*delivery
	for i := range 1000 {
		d := new(delivery)
		in = append(in, d)
		f.push(d)
		if i%3 != 0 {
			out = append(out, f.pop())
		}
	}
	for d := f.pop(); d != nil; d = f.pop() {
		out = append(out, d)
	}
	if !slices.Equal(in, out) || f.len() != 0 {
		t.Errorf("%d went in, %d came out, or in another order; %d are left", len(in), len(out), f.len())
	}
}

func TestLostEventIsNeverDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{start: time.Now()}
		b := brokerFor(Options{Plan: func(e Event) []Attempt { return []Attempt{{Lose: e.ID == "lost"}} }},
			func(req *http.Request) (int, error) { r.note(req); return 200, nil })
		defer b.stop(ErrClosed)
		send(t, b, "lost", "sent")
		pass(t, time.Hour)
		r.check(t, []arrival{{"sent", 0}})
		if got, want := b.Stats(""), (Stats{Events: 2, Deliveries: 1, Lost: 1}); got != want {
			t.Errorf("stats are %+v, want %+v", got, want)
		}
	})
}

func TestDroppedDeliveryIsRetriedAfterBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{start: time.Now()}
		b := brokerFor(Options{Plan: func(e Event) []Attempt {
			return map[string][]Attempt{"lost": {{Drop: true}}, "twins": {{After: 10 * time.Millisecond, Drop: true}, {After: time.Millisecond}}}[e.ID]
		}}, func(req *http.Request) (int, error) { r.note(req); return 200, nil })
		defer b.stop(ErrClosed)
		send(t, b, "lost", "twins")
		synctest.Wait()
		if got, want := b.Stats(""), (Stats{Events: 2, Deliveries: 1, Duplicates: 1, Dropped: 1, Failures: 1, Waiting: 3}); got != want {
			t.Errorf("stats are %+v, want %+v", got, want)
		}
		pass(t, time.Minute)
		r.check(t, []arrival{{"twins", time.Millisecond}, {"lost", push.DefaultFirst}, {"twins", push.DefaultFirst + 10*time.Millisecond}})
		if got, want := b.Stats(""), (Stats{Events: 2, Deliveries: 5, Redeliveries: 2, Duplicates: 1, Dropped: 2, Failures: 2}); got != want {
			t.Errorf("stats are %+v, want %+v", got, want)
		}
	})
}
