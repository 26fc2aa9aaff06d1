package emulator_test

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/emulator/weather"
	"example.com/relationindex/internal/wire"
)

// A client under a weather waits as long as it should by the machine's clock, and no longer than its caller.
func TestWeatherWaitsInRealTime(t *testing.T) {
	t.Parallel()
	exactly := func(d time.Duration) weather.Range { return weather.Range{From: d, To: d} }
	w, err := weather.New(weather.Options{Latency: weather.Latency{Read: exactly(300 * time.Millisecond), Commit: exactly(time.Hour)}}, []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	project, host := projectOf(t), shared(t).FirestoreHost()
	client, bare := openProject(t, project, host, wire.Interceptor{Unary: w.Unary, Stream: w.Stream}), openProject(t, project, host)
	began := time.Now()
	if _, err = client.Collection("d").Documents(t.Context()).GetAll(); err != nil || time.Since(began) < 300*time.Millisecond {
		t.Errorf("a query took %v, want at least 300 ms; %v", time.Since(began), err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = client.Doc("d/1").Set(ctx, map[string]any{})
	if status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("a commit that waits longer than its caller: %v, want DeadlineExceeded", err)
	}
	docs, err := bare.Collection("d").Documents(t.Context()).GetAll()
	if err != nil || len(docs) != 0 {
		t.Errorf("it has written %d documents; %v", len(docs), err)
	}
}
