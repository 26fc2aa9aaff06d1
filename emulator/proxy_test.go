package emulator_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/emulator"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/internal/wire"
)

func serve(t *testing.T, interceptors ...wire.Interceptor) *faults.Proxy {
	t.Helper()
	p, err := faults.Serve(t.Context(), shared(t).FirestoreHost(), interceptors...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// A client through a proxy has the same answers as one without, and the meter
// of the proxy counts the same as one in the client.
func TestProxyLeavesAnswersAndCountsUnchanged(t *testing.T) {
	t.Parallel()
	var direct, proxied wire.Meter
	var answers [2][]string
	for i, c := range []*firestore.Client{
		open(t, direct.Interceptor()),
		openAt(t, serve(t, proxied.Interceptor()).Host()),
	} {
		answers[i] = session(t.Context(), c)
	}
	if diff := cmp.Diff(answers[0], answers[1]); diff != "" {
		t.Errorf("answers (-direct +proxied):\n%s", diff)
	}
	if strings.Contains(strings.Join(answers[0], " "), "Unauthenticated") || len(answers[0]) < 9 {
		t.Errorf("the session went %q", answers[0])
	}
	ignoreBytes := func(c wire.Counts) wire.Counts { c.Sent, c.Received = 0, 0; return c } // ids and times are of different lengths
	if diff := cmp.Diff(ignoreBytes(direct.Counts()), ignoreBytes(proxied.Counts())); diff != "" {
		t.Errorf("meters (-direct +proxied):\n%s", diff)
	}
}

// session makes calls of all kinds and says what came of each.
func session(ctx context.Context, c *firestore.Client) (answers []string) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	note := func(what string, result any, err error) {
		answers = append(answers, fmt.Sprintf("%s: %v, %v", what, result, status.Code(err)))
	}
	doc := func(i int) *firestore.DocumentRef { return c.Doc(fmt.Sprintf("docs/d%d", i)) }
	large := strings.Repeat("x", 1_000_000)
	note("transaction", nil, c.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		if _, err := tx.GetAll([]*firestore.DocumentRef{doc(1), doc(2)}); err != nil {
			return err
		}
		return tx.Create(doc(1), map[string]any{"n": 1})
	}))
	_, err := doc(1).Create(ctx, map[string]any{"n": 2})
	note("create again", nil, err)
	snap, err := doc(1).Get(ctx)
	note("get", snap.Data(), err)
	snap, err = doc(1).Get(wire.WithMask(ctx, func(string) bool { return true }, "other"))
	note("get with a mask", snap.Data(), err)
	_, err = doc(9).Get(ctx)
	note("get what is not there", nil, err)
	_, err = doc(9).Update(ctx, []firestore.Update{{Path: "n", Value: 1}})
	note("update what is not there", nil, err)

	bulk := c.BulkWriter(ctx)
	var jobs []*firestore.BulkWriterJob
	for i := 2; i < 10; i++ {
		job, err := bulk.Create(doc(i), map[string]any{"n": i, "text": large})
		note("bulk", nil, err)
		jobs = append(jobs, job)
	}
	bulk.End()
	for _, job := range jobs {
		_, err := job.Results()
		note("bulk result", nil, err)
	}
	docs, err := c.Collection("docs").Where("n", ">", 1).Documents(ctx).GetAll() // 8 MB
	note("query", len(docs), err)
	count, err := c.Collection("docs").NewAggregationQuery().WithCount("n").Get(ctx)
	note("count", count["n"].(*pb.Value).GetIntegerValue(), err)
	collections, err := c.Collections(ctx).GetAll()
	note("collections", len(collections), err)

	changes := c.Collection("docs").Select("n").OrderBy("n", firestore.Asc).Snapshots(ctx)
	defer changes.Stop()
	for range 2 {
		now, err := changes.Next()
		if err != nil {
			note("listen", nil, err)
			break
		}
		note("listen", now.Size, nil)
		_, err = doc(10).Set(ctx, map[string]any{"n": 10})
		note("set", nil, err)
	}
	_, err = doc(1).Delete(ctx)
	note("delete", nil, err)
	return answers
}

// A caller without the emulator's owner token does not get it from the proxy, and rules apply.
func TestProxyAddsNoOwnerRights(t *testing.T) {
	t.Parallel()
	var seen []string
	p := serve(t, wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		seen = outgoing(ctx)
		return invoke(ctx, method, req, reply, cc, opts...)
	}})
	c := openRawAt(t, p.Host())
	_ = c.write("d")
	want := []string{"authorization: Bearer owner", "google-cloud-resource-prefix: " + c.db}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("passed on (-want +got):\n%s", diff)
	}
	c.ctx = t.Context()
	_ = c.write("d")
	if len(seen) > 0 {
		t.Errorf("passed on %q of a caller who said nothing", seen)
	}
}

// When a caller is killed, its calls end, at the emulator too.
func TestProxyCancelsCallsOfKilledCaller(t *testing.T) {
	t.Parallel()
	reached, ended := make(chan struct{}), make(chan error, 1)
	p := serve(t, wire.Interceptor{Unary: func(ctx context.Context, _ string, _, _ any, _ *grpc.ClientConn, _ grpc.UnaryInvoker, _ ...grpc.CallOption) error {
		close(reached)
		<-ctx.Done()
		ended <- ctx.Err()
		return ctx.Err()
	}})
	c := openRawAt(t, p.Host())
	ctx, cancel := context.WithCancel(c.ctx)
	c.ctx = ctx
	go func() {
		<-reached
		cancel()
	}()
	if err := c.write("d"); status.Code(err) != codes.Canceled {
		t.Errorf("the caller was told %v, want Canceled", err)
	}
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the call has no error")
		}
	case <-time.After(time.Minute):
		t.Error("the call goes on without its caller")
	}
}

func TestProxyStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p, err := faults.Serve(ctx, shared(t).FirestoreHost())
	if err != nil {
		t.Fatal(err)
	}
	c := openRawAt(t, p.Host())
	if err := c.write("d"); err != nil {
		t.Fatal(err)
	}
	cancel()
	emulator.Eventually(t, "the end of the proxy", func() bool { return status.Code(c.write("d")) == codes.Unavailable })
	for range 2 {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The reason of a call reaches interceptors in the client, and those of a proxy.
func TestReasonReachesInterceptorsAndProxy(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string
	add := func(reason string) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, reason)
	}
	note := wire.Interceptor{
		Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			add(wire.Reason(ctx))
			return invoke(ctx, method, req, reply, cc, opts...)
		},
		Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			add(wire.Reason(ctx))
			return open(ctx, desc, cc, method, opts...)
		},
	}
	c := openAt(t, serve(t, note).Host(), note)
	for _, ctx := range []context.Context{t.Context(), wire.WithReason(t.Context(), "Sweep")} {
		if _, err := c.Doc("a/b").Set(ctx, map[string]any{"v": 1}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Doc("a/b").Get(ctx); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"", "", "", "", "Sweep", "Sweep", "Sweep", "Sweep"} // a write and a read, at both
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}
