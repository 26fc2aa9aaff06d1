//go:build long

package weather_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/emulator"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/emulator/weather"
	"example.com/relationindex/internal/wire"
)

// expiring writes documents through the weather, which so learns the database. Some of them have expired.
func (w *world) expiring(t *testing.T) {
	t.Helper()
	now := w.clock.now()
	for path, at := range map[string]any{
		"items/long":             now.Add(-2 * time.Hour),
		"users/u/items/long":     now.Add(-61 * time.Minute),
		"users/u/items/lately":   now.Add(-59 * time.Minute),
		"items/later":            now.Add(time.Hour),
		"items/text":             "2001-01-01",
		"others/of another name": now.Add(-2 * time.Hour),
	} {
		if _, err := w.client.Doc(path).Set(t.Context(), map[string]any{"expireAt": at}); err != nil {
			t.Fatal(err)
		}
	}
}

// left returns the documents that are left.
func (w *world) left(t *testing.T) (paths []string) {
	t.Helper()
	for _, group := range []string{"items", "others"} {
		docs, err := w.bare.CollectionGroup(group).Documents(t.Context()).GetAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range docs {
			paths = append(paths, doc.Ref.Parent.ID+"/"+doc.Ref.ID)
		}
	}
	slices.Sort(paths)
	return paths
}

// Documents that have expired are deleted when the delay is over, and their deletion fires triggers.
func TestTTL(t *testing.T) {
	t.Parallel()
	w := under(t, weather.Options{TTL: weather.TTL{Delay: 10 * time.Hour}, Scale: 0.1})
	e, err := started()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var events []string
	function := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, r.Header.Get("Ce-Type")+" "+r.Header.Get("Ce-Document"))
	}))
	t.Cleanup(function.Close)
	if err := e.Broker().Register(t.Context(), w.project, emulator.Trigger{
		Name: "OnDeleted", EventType: "google.cloud.firestore.document.v1.deleted", Document: "items/{item}", URL: function.URL,
	}); err != nil {
		t.Fatal(err)
	}
	w.expiring(t)
	for _, want := range []int{2, 0} {
		if n, err := w.DeleteExpired(t.Context(), host(t)); err != nil || n != want {
			t.Errorf("deleted %d documents, want %d; %v", n, want, err)
		}
	}
	if got, want := w.left(t), []string{"items/lately", "items/later", "items/text", "others/of another name"}; !slices.Equal(got, want) {
		t.Errorf("left: %q, want %q", got, want)
	}
	if err := e.Broker().Idle(t.Context(), emulator.Name(w.project, "")); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if want := []string{"google.cloud.firestore.document.v1.deleted items/long"}; !slices.Equal(events, want) {
		t.Errorf("events: %q, want %q", events, want)
	}
	w.clock.advance(2 * time.Minute)
	if n, err := w.DeleteExpired(t.Context(), host(t)); err != nil || n != 1 || w.Counts().Expired != 3 {
		t.Errorf("two minutes later %d are deleted, %d in all, want 1 and 3; %v", n, w.Counts().Expired, err)
	}
}

// A document that gets another time between the query and its deletion stays.
func TestTTLKeepsDocumentWithNewTime(t *testing.T) {
	t.Parallel()
	w := under(t, weather.Options{TTL: weather.TTL{Delay: time.Hour}})
	w.expiring(t)
	var once sync.Once
	proxy, err := faults.Serve(t.Context(), host(t), wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if _, ok := req.(*pb.CommitRequest); ok {
			once.Do(func() {
				for _, path := range []string{"items/long", "users/u/items/long"} {
					if _, err := w.bare.Doc(path).Set(ctx, map[string]any{"expireAt": w.clock.now()}, firestore.MergeAll); err != nil {
						t.Error(err)
					}
				}
			})
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := w.DeleteExpired(t.Context(), proxy.Host()); err != nil || n != 0 || len(w.left(t)) != 6 {
		t.Errorf("%d deleted, %q left; %v", n, w.left(t), err)
	}
}

// RunTTL goes on until its context ends, 24 times in the delay; without a TTL it does nothing.
func TestRunTTL(t *testing.T) {
	t.Parallel()
	w := under(t, weather.Options{TTL: weather.TTL{Delay: time.Hour}})
	w.expiring(t)
	ctx, end := context.WithCancel(t.Context())
	rounds := 0
	w.SetClock(w.clock.now, func(ctx context.Context, d time.Duration) error {
		if rounds++; rounds > 2 {
			end()
		}
		if d != time.Hour/24 {
			t.Errorf("waited %v, want 2.5 minutes", d)
		}
		return ctx.Err()
	})
	w.RunTTL(ctx, host(t), slog.New(slog.DiscardHandler))
	if left := w.left(t); len(left) != 4 {
		t.Errorf("left: %q", left)
	}
	off := under(t, weather.Options{})
	off.RunTTL(t.Context(), host(t), slog.New(slog.DiscardHandler)) // returns
	if n, err := off.DeleteExpired(t.Context(), host(t)); n != 0 || err != nil {
		t.Errorf("without a TTL: %d, %v", n, err)
	}
}
