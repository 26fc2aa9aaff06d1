//go:build long

package processes_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/emulator/weather"
	"example.com/relationindex/internal/indexfile"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local/processes"
)

// Functions and clients of gRPC are under one weather; the system's own client is not.
func TestWeather(t *testing.T) {
	ms := weather.Range{From: time.Millisecond, To: time.Millisecond}
	system, err := processes.Start(context.WithoutCancel(t.Context()), processes.Options{
		Project: "demo-dev-weather", SweepEvery: time.Hour,
		Weather: &weather.Options{Latency: weather.Latency{Read: ms, Commit: ms, Entry: time.Microsecond}, TTL: weather.TTL{Delay: time.Minute}, Scale: 0.01},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := system.Close(); err != nil {
			t.Error(err)
		}
		_ = system.RemoveLogs()
	})
	client, err := wire.Open(t.Context(), "demo-dev-weather", system.FirestoreHost())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	calls := func(f func()) int64 {
		before := system.Weather().Counts().Calls
		f()
		return system.Weather().Counts().Calls - before
	}
	wantIdle(t, system)
	if n := calls(func() { set(t, client.Doc("notes/1"), map[string]any{"n": 1}) }); n != 1 {
		t.Errorf("a client's write is %d calls under the weather, want 1", n)
	}
	if n := calls(func() { set(t, system.Client().Doc("notes/1"), map[string]any{"n": 2}) }); n != 0 {
		t.Errorf("a write of the system's own is %d calls under the weather, want none", n)
	}
	if n := calls(func() {
		set(t, client.Doc("users/alice/followers/bob"), serverTime)
		wantIdle(t, system)
	}); n < 5 {
		t.Errorf("a follow is %d calls under the weather: those of the functions are not", n)
	}

	by := func(c *firestore.Client) firestore.Query {
		return c.Collection("posts").Where("userId", "==", "alice").OrderBy("createdAt", firestore.Desc)
	}
	needed := slices.IndexFunc(system.Weather().Indexes(), func(x indexfile.Index) bool {
		return x.Group == "posts" && x.String() == "(userId ASCENDING, createdAt DESCENDING)"
	})
	system.Weather().Build(system.Weather().Indexes()[needed], time.Hour)
	_, err = by(client).Documents(t.Context()).GetAll()
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	listen := by(client).Snapshots(soon)
	defer listen.Stop()
	_, listened := listen.Next()
	for what, err := range map[string]error{"a query": err, "a listener": listened} {
		if !errors.Is(err, wire.ErrNoIndex) && status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "currently building") {
			t.Errorf("%s: %v, want that its index is building", what, err)
		}
	}
	if _, err := by(system.Client()).Documents(t.Context()).GetAll(); err != nil {
		t.Errorf("the system's own query: %v", err)
	}
	resp, err := http.Get("http://" + system.FirestoreHost() + "/v1/projects/demo-dev-weather/databases/(default)/documents/notes/1")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("REST under rules: %s", resp.Status)
	}

	expired := system.Client().Doc("users/bob/timeline/old")
	set(t, expired, map[string]any{"expireAt": time.Now().Add(-time.Hour)})
	wantGone(t, expired)
}
