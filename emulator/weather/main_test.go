//go:build long

package weather_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/emulator"
	"example.com/relationindex/emulator/weather"
	"example.com/relationindex/internal/wire"
)

var needed atomic.Bool

// started is the one emulator of all tests that need it.
var started = sync.OnceValues(func() (*emulator.Emulator, error) {
	needed.Store(true)
	return emulator.Start(context.Background(), emulator.Options{})
})

func TestMain(m *testing.M) {
	code := m.Run()
	if needed.Load() {
		if e, err := started(); err == nil {
			if err := e.Close(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
			_ = os.Remove(e.LogFile())
		}
	}
	os.Exit(code)
}

// clock stands still but when it is told to go on, and remembers for how long somebody wanted to wait.
type clock struct {
	mu     sync.Mutex
	at     time.Time
	waited []time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) sleep(_ context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waited = append(c.waited, d)
	return nil
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// take returns the waits since the last call.
func (c *clock) take() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	waited := c.waited
	c.waited = nil
	return waited
}

// world is a database of the test's own under a weather, with a clock that stands still.
type world struct {
	*weather.Weather
	clock   *clock
	project string
	client  *firestore.Client  // under the weather
	other   *firestore.Client  // another one under the same weather, as of another process
	bare    *firestore.Client  // under none
	raw     pb.FirestoreClient // under the weather, and without the client library's retries
}

const indexes = `{"indexes": [
  {"collectionGroup": "c", "fields": [{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "at", "order": "DESCENDING"}]},
  {"collectionGroup": "c", "fields": [{"fieldPath": "b", "order": "ASCENDING"}, {"fieldPath": "at", "order": "DESCENDING"}]}
], "fieldOverrides": [
  {"collectionGroup": "items", "fieldPath": "expireAt", "ttl": true, "indexes": []}
]}`

var projects atomic.Int64

func host(t *testing.T) string {
	t.Helper()
	e, err := started()
	if err != nil {
		t.Fatalf("this test needs the Firestore emulator: %v", err)
	}
	return e.FirestoreHost()
}

// under makes a world. Behind the weather are further interceptors.
func under(t *testing.T, o weather.Options, behind ...wire.Interceptor) *world {
	t.Helper()
	w := timed(t, o, behind...)
	w.clock = &clock{at: time.Now()}
	w.SetClock(w.clock.now, w.clock.sleep)
	return w
}

// timed is a world whose clock is the machine's.
func timed(t *testing.T, o weather.Options, behind ...wire.Interceptor) *world {
	t.Helper()
	made, err := weather.New(o, []byte(indexes))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Weather: made, project: fmt.Sprintf("demo-weather-%d-%d", os.Getpid(), projects.Add(1))}
	mine := append([]wire.Interceptor{{Unary: made.Unary, Stream: made.Stream}}, behind...)
	open := func(interceptors ...wire.Interceptor) *firestore.Client {
		client, err := wire.OpenUnderRules(t.Context(), w.project, host(t), interceptors...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close() })
		return client
	}
	w.client, w.other, w.bare = open(mine...), open(mine...), open()
	conn, err := wire.Connect(host(t), mine...)
	if err != nil {
		t.Fatal(err)
	}
	w.raw = pb.NewFirestoreClient(conn)
	t.Cleanup(func() {
		if err := errors.Join(conn.Close(), made.Close()); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *world) database() string { return "projects/" + w.project + "/databases/(default)" }

// write sends a commit of empty documents, once.
func (w *world) write(t *testing.T, paths ...string) error {
	t.Helper()
	req := &pb.CommitRequest{Database: w.database()}
	for _, path := range paths {
		req.Writes = append(req.Writes, &pb.Write{Operation: &pb.Write_Update{Update: &pb.Document{Name: w.database() + "/documents/" + path}}})
	}
	_, err := w.raw.Commit(t.Context(), req)
	return err
}

func wantCode(t *testing.T, what string, err error, want codes.Code) {
	t.Helper()
	if got := status.Code(err); got != want {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}
