package emulator

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"sync"
	"testing"

	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/encoding/protojson"
)

// echo is an emulator that sends each written document back as an event, and nothing else.
type echo struct {
	barrier   *barrier
	mu        sync.Mutex
	documents map[string]bool
	silent    bool // sends nothing back
}

func newEcho(tb testing.TB) *echo {
	e := &echo{documents: make(map[string]bool)}
	server := httptest.NewServer(e)
	tb.Cleanup(server.Close)
	e.barrier = newBarrier(newRest(server.Listener.Addr().String()))
	return e
}

func (e *echo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.documents[path.Base(r.URL.Path)] = true
	data := &firestoredata.DocumentEventData{Value: new(firestoredata.Document)}
	if err := protojson.Unmarshal(text, data.Value); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !e.silent {
		e.barrier.arrived(data)
	}
}

func TestBarrierKeepsFewDocuments(t *testing.T) {
	e := newEcho(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 2 * barrierSlots {
				if err := e.barrier.cross(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(e.documents); n > barrierSlots {
		t.Errorf("they wrote %d documents, want at most %d", n, barrierSlots)
	}
	if n := len(e.barrier.waiting); n != 0 {
		t.Errorf("%d tokens are left", n)
	}
}

func TestBarrierIgnoresLateEventOfCanceledCaller(t *testing.T) {
	e := newEcho(t)
	e.silent = true
	ctx, cancel := context.WithCancelCause(t.Context())
	errTired := errors.New("tired")
	cancel(errTired)
	if err := e.barrier.cross(ctx); err == nil {
		t.Error("it was crossed without an event")
	}
	// The late event of an earlier caller must not let the next one through: it has the same document.
	_, old, _ := e.barrier.enter()
	e.barrier.leave(old)
	_, _, came := e.barrier.enter()
	e.barrier.arrived(&firestoredata.DocumentEventData{Value: &firestoredata.Document{Fields: map[string]*firestoredata.Value{
		"token": {ValueType: &firestoredata.Value_StringValue{StringValue: old}},
	}}})
	select {
	case <-came:
		t.Error("the event of another caller let it through")
	default:
	}
}
