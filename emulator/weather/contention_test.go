//go:build long

package weather_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"example.com/relationindex/emulator/weather"
	"example.com/relationindex/internal/wire"
)

const production = "Too much contention on these documents. Please try again."

// A document takes a burst of writes of all clients, then one a second. A write that would wait too long is aborted.
func TestFrequentWritesOfDocumentWaitOrAbort(t *testing.T) {
	t.Parallel()
	w := under(t, weather.Options{Contention: weather.Contention{Rate: 1, Burst: 3, Wait: 2 * time.Second}})
	write := func(what string, client *firestore.Client, path string, want codes.Code, waited ...time.Duration) {
		t.Helper()
		_, err := client.Doc(path).Set(t.Context(), map[string]any{"n": 1})
		wantCode(t, what, err, want)
		if got := w.clock.take(); !near(got, waited) {
			t.Errorf("%s: waited %v, want %v", what, got, waited)
		}
	}
	write("first", w.client, "c/hot", codes.OK)
	write("second, of another client", w.other, "c/hot", codes.OK)
	write("third", w.client, "c/hot", codes.OK)
	write("fourth", w.other, "c/hot", codes.OK, time.Second)
	write("another document", w.client, "c/cold", codes.OK)
	write("fifth", w.client, "c/hot", codes.OK, 2*time.Second)
	write("sixth", w.client, "c/hot", codes.Aborted)
	err := w.write(t, "c/new", "c/hot")
	if wantCode(t, "with another", err, codes.Aborted); !strings.Contains(err.Error(), production) {
		t.Errorf("the error is %v, want %q", err, production)
	}
	w.clock.advance(time.Second)
	write("a second later", w.client, "c/hot", codes.OK, 2*time.Second)
	w.clock.advance(time.Minute)
	write("a minute later", w.client, "c/hot", codes.OK)
	if got := w.Counts().Contended; got != 5 {
		t.Errorf("%d contended, want 5", got)
	}
}

// A write that fails usually wrote nothing, so the next write does not wait for it.
func TestFailedWriteReturnsItsTurn(t *testing.T) {
	t.Parallel()
	w, err := weather.New(weather.Options{Contention: weather.Contention{Rate: 1, Burst: 2, Wait: time.Minute}}, []byte(indexes))
	if err != nil {
		t.Fatal(err)
	}
	c := &clock{at: time.Now()}
	w.SetClock(c.now, c.sleep)
	conn, err := grpc.NewClient("passthrough:///nowhere", grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	req := &pb.CommitRequest{Writes: []*pb.Write{{Operation: &pb.Write_Delete{Delete: "projects/p/databases/d/documents/c/hot"}}}}
	for n, answer := range []error{nil, status.Error(codes.NotFound, ""), nil, nil} {
		err := w.Unary(t.Context(), "Commit", req, nil, conn, func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return answer })
		wantCode(t, "commit", err, status.Code(answer))
		if waited := c.take(); len(waited) > 0 != (n == 3) {
			t.Errorf("commit %d waited %v", n, waited)
		}
	}
}

// held runs f while a transaction has read a document.
func (w *world) held(t *testing.T, doc *firestore.DocumentRef, f func(release func())) {
	t.Helper()
	if _, err := doc.Set(t.Context(), map[string]any{}); err != nil {
		t.Fatal(err)
	}
	reading, release := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- w.bare.RunTransaction(t.Context(), func(ctx context.Context, tx *firestore.Transaction) error {
			if _, err := tx.Get(doc); err != nil {
				return err
			}
			close(reading)
			<-release
			return tx.Set(doc, map[string]any{"by": "transaction"})
		}, firestore.MaxAttempts(1))
	}()
	select {
	case <-reading:
	case err := <-ended:
		t.Fatalf("the transaction read nothing: %v", err)
	}
	f(func() { close(release) })
	if err := <-ended; err != nil {
		t.Errorf("the transaction: %v", err)
	}
}

// A write waits for a lock for longer than the emulator would, and is then applied.
func TestWriteWaitsForALock(t *testing.T) {
	t.Parallel()
	var tries atomic.Int64
	again := make(chan struct{})
	w := under(t, weather.Options{Contention: weather.Contention{Wait: time.Minute}}, wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if _, ok := req.(*pb.CommitRequest); ok && tries.Add(1) == 2 {
			close(again)
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}})
	w.held(t, w.bare.Doc("c/d"), func(release func()) {
		written := make(chan error, 1)
		go func() {
			_, err := w.client.Doc("c/d").Set(t.Context(), map[string]any{"by": "write"})
			written <- err
		}()
		select {
		case <-again: // the emulator has given up, and the weather has not
		case err := <-written:
			t.Errorf("the write ended before the transaction: %v", err)
			written <- err
		}
		release()
		if err := <-written; err != nil {
			t.Errorf("the write: %v", err)
		}
	})
	got, err := w.bare.Doc("c/d").Get(t.Context())
	if err != nil || got.Data()["by"] != "write" {
		t.Errorf("the document is %v; %v", got.Data(), err)
	}
}

// A write that has waited long enough is aborted as in production, and so is one in a transaction, at once.
func TestLockThatIsHeld(t *testing.T) {
	t.Parallel()
	w := timed(t, weather.Options{Contention: weather.Contention{Wait: 1}})
	off := under(t, weather.Options{})
	w.held(t, w.bare.Doc("c/d"), func(release func()) {
		defer release()
		doc := w.client.Doc("c/d")
		set := func() error {
			_, err := doc.Set(t.Context(), map[string]any{})
			return err
		}
		ways := map[string]func() error{"a write": set, "in a transaction": func() error {
			return w.client.RunTransaction(t.Context(), func(_ context.Context, tx *firestore.Transaction) error {
				_, err := tx.Get(doc)
				if err != nil {
					return err
				}
				return tx.Set(doc, map[string]any{})
			}, firestore.MaxAttempts(1))
		}}
		aborted := map[string]chan error{}
		for way, write := range ways {
			aborted[way] = make(chan error, 1)
			go func() { aborted[way] <- write() }()
		}
		for way := range ways {
			err := <-aborted[way]
			if wantCode(t, way, err, codes.Aborted); err != nil && !strings.Contains(err.Error(), production) {
				t.Errorf("%s: %v, want %q", way, err, production)
			}
		}
	})
	off.held(t, off.bare.Doc("c/d"), func(release func()) {
		defer release()
		_, err := off.client.Doc("c/d").Set(t.Context(), map[string]any{})
		if wantCode(t, "without contention", err, codes.Aborted); !strings.Contains(err.Error(), "lock timeout") {
			t.Errorf("without contention: %v, want the emulator's error", err)
		}
	})
}
