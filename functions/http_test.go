package functions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cloudevents/sdk-go/v2/event"

	"example.com/relationindex/internal/logging"
)

// deliver posts an event as Eventarc does.
func deliver(t testing.TB, url, id string, body []byte) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"Ce-Id": id, "Ce-Type": "google.cloud.firestore.document.v1.written", "Ce-Specversion": "1.0",
		"Ce-Source": "//firestore.googleapis.com/projects/p/databases/(default)", "Content-Type": "application/protobuf",
	} {
		if value != "" {
			req.Header.Set(key, value)
		}
	}
	return answer(t, req)
}

func answer(t testing.TB, req *http.Request) int {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return 0
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}

// Every event is handled once, under a context of its own request: while one
// is answered, none of the others is canceled or left waiting.
func TestConcurrentEventsKeepTheirContexts(t *testing.T) {
	const deliveries = 2000
	var handled sync.Map
	var canceled atomic.Int64
	turns := make(chan struct{})
	server := httptest.NewServer(receive("f", &reporter{logger: slog.New(slog.DiscardHandler)}, func(ctx context.Context, e event.Event) error {
		if rand.N(2) == 0 { // some answer at once, some after others have
			<-turns
		}
		if ctx.Err() != nil {
			canceled.Add(1)
		}
		n, _ := handled.LoadOrStore(e.ID()+" "+string(e.Data()), new(atomic.Int64))
		n.(*atomic.Int64).Add(1)
		if strings.HasSuffix(e.ID(), "7") {
			return errors.New("again")
		}
		return nil
	}))
	defer server.Close()
	done := make(chan struct{})
	go func() {
		for {
			select {
			case turns <- struct{}{}:
			case <-done:
				return
			}
		}
	}()
	defer close(done)
	var calls sync.WaitGroup
	limit := make(chan struct{}, 64)
	for i := range deliveries {
		calls.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			id := fmt.Sprintf("e%d", i)
			want := http.StatusNoContent
			if i%10 == 7 {
				want = http.StatusInternalServerError
			}
			if got := deliver(t, server.URL, id, []byte("data of "+id)); got != want {
				t.Errorf("%s was answered %d, want %d", id, got, want)
			}
		})
	}
	calls.Wait()
	for i := range deliveries {
		key := fmt.Sprintf("e%d data of e%d", i, i)
		if n, ok := handled.Load(key); !ok || n.(*atomic.Int64).Load() != 1 {
			t.Errorf("%s was not handled once", key)
		}
	}
	if canceled.Load() != 0 {
		t.Errorf("%d events were canceled", canceled.Load())
	}
}

// A request that is no event is acknowledged, or rejected if its sender does not retry.
func TestRequestsThatAreNoEvents(t *testing.T) {
	var log bytes.Buffer
	server := httptest.NewServer(receive("f", &reporter{logger: logging.New(&log, slog.LevelInfo)}, func(context.Context, event.Event) error {
		t.Error("handled")
		return nil
	}))
	defer server.Close()
	if got := deliver(t, server.URL, "", nil); got != http.StatusNoContent || !strings.Contains(log.String(), `"outcome":"dropped"`) {
		t.Errorf("an event without an id is answered %d and logged %q", got, &log)
	}
	log.Reset()
	if got := deliver(t, server.URL, "large", make([]byte, maxEventBytes+1)); got != http.StatusNoContent || !strings.Contains(log.String(), `"eventId":"large"`) {
		t.Errorf("an event that is too large is answered %d and logged %q", got, &log)
	}
	log.Reset()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	if got := answer(t, req); got != http.StatusNoContent || !strings.Contains(log.String(), "not a CloudEvent") {
		t.Errorf("a request that is no event is answered %d and logged %q", got, &log)
	}
	if req, err = http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil); err != nil {
		t.Fatal(err)
	}
	if got := answer(t, req); got != http.StatusMethodNotAllowed {
		t.Errorf("GET is answered %d, want 405", got)
	}
}
