package emulator_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/relationindex/emulator"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/internal/wire"
)

// raw is Firestore's protocol without the client library, which repeats calls.
type raw struct {
	pb.FirestoreClient
	ctx context.Context
	db  string
}

func openRaw(t *testing.T, interceptors ...wire.Interceptor) raw {
	t.Helper()
	return openRawAt(t, shared(t).FirestoreHost(), interceptors...)
}

func openRawAt(t *testing.T, host string, interceptors ...wire.Interceptor) raw {
	t.Helper()
	dial := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	for _, i := range interceptors {
		dial = append(dial, grpc.WithChainUnaryInterceptor(i.Unary), grpc.WithChainStreamInterceptor(i.Stream))
	}
	conn, err := grpc.NewClient("passthrough:///"+host, dial...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	db := "projects/" + projectOf(t) + "/databases/(default)"
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer owner", "google-cloud-resource-prefix", db)
	return raw{pb.NewFirestoreClient(conn), ctx, db}
}

// write is the commit of one document.
func (r raw) write(id string) error {
	_, err := r.Commit(r.ctx, &pb.CommitRequest{Database: r.db, Writes: []*pb.Write{
		{Operation: &pb.Write_Update{Update: &pb.Document{Name: r.db + "/documents/docs/" + id}}},
	}})
	return err
}

// query asks for all documents, and returns how many messages the answer had
// before it ended.
func (r raw) query() (messages int, err error) {
	s, err := r.RunQuery(r.ctx, &pb.RunQueryRequest{Parent: r.db + "/documents", QueryType: &pb.RunQueryRequest_StructuredQuery{
		StructuredQuery: &pb.StructuredQuery{From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: "docs"}}},
	}})
	if err != nil {
		return 0, err
	}
	for {
		if _, err := s.Recv(); errors.Is(err, io.EOF) {
			return messages, nil
		} else if err != nil {
			return messages, err
		}
		messages++
	}
}

// outgoing is what a call says of its caller.
func outgoing(ctx context.Context) []string {
	md, _ := metadata.FromOutgoingContext(ctx)
	var out []string
	for key, values := range md {
		out = append(out, key+": "+strings.Join(values, ", "))
	}
	slices.Sort(out)
	return out
}

// trace notes the unary calls that pass it, by the last part of their names.
type trace struct {
	mu    sync.Mutex
	calls []string
}

func (tr *trace) interceptor() wire.Interceptor {
	pass := func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		return open(ctx, desc, cc, method, opts...)
	}
	return wire.Interceptor{Stream: pass, Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		tr.mu.Lock()
		tr.calls = append(tr.calls, method[strings.LastIndex(method, "/")+1:])
		tr.mu.Unlock()
		return invoke(ctx, method, req, reply, cc, opts...)
	}}
}

func (tr *trace) count(call string) int {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	n := 0
	for _, c := range tr.calls {
		if c == call {
			n++
		}
	}
	return n
}

// A write fails in five ways, and a query in four.
// Only the faults after the call were applied.
func TestFaultsHaveTheirCodeAndEffect(t *testing.T) {
	t.Parallel()
	const n = 300
	injected := faults.New(faults.Plan{Rate: 0.5, Seed: 1})
	var sent trace
	c := openRaw(t, injected.Interceptor(), sent.interceptor())
	writes := map[string]int{}
	for i := range n {
		before := sent.count("Commit")
		err := c.write(fmt.Sprint(i))
		writes[fmt.Sprintf("%v, %d sent", status.Code(err), sent.count("Commit")-before)]++
	}
	kinds := []string{
		"Aborted, 0 sent", "DeadlineExceeded, 0 sent", "DeadlineExceeded, 1 sent",
		"OK, 1 sent", "Unavailable, 0 sent", "Unavailable, 1 sent",
	}
	if diff := cmp.Diff(kinds, keys(writes)); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	if ok := writes["OK, 1 sent"]; ok < n*4/10 || ok > n*6/10 {
		t.Errorf("%d of %d writes went well, want about a half", ok, n)
	}
	after := writes["DeadlineExceeded, 1 sent"] + writes["Unavailable, 1 sent"]
	counts := faults.Counts{Before: int64(n - after - writes["OK, 1 sent"]), After: int64(after)}
	if got := injected.Counts(); got != counts {
		t.Errorf("counted %v, want %v", got, counts)
	}

	queries := map[string]int{}
	for range 60 {
		messages, err := c.query()
		queries[fmt.Sprintf("%v, answer begun: %v", status.Code(err), messages > 0)]++
		if err != nil && messages > 1 {
			t.Errorf("%d messages came before the fault, want one or none", messages)
		}
	}
	kinds = []string{
		"DeadlineExceeded, answer begun: false", "DeadlineExceeded, answer begun: true",
		"OK, answer begun: true", "Unavailable, answer begun: false", "Unavailable, answer begun: true",
	}
	if diff := cmp.Diff(kinds, keys(queries)); diff != "" {
		t.Errorf("queries (-want +got):\n%s", diff)
	}

	injected.Pause(true)
	paused := injected.Counts().Total()
	for range 30 {
		if err := c.write("0"); err != nil {
			t.Error("while paused:", err)
		}
	}
	if injected.Pause(false); injected.Counts().Total() != paused {
		t.Errorf("%d faults in a pause", injected.Counts().Total()-paused)
	}
	for n := 0; n < 30 && injected.Counts().Total() == paused; n++ {
		_ = c.write("0")
	}
	if injected.Counts().Total() == paused {
		t.Error("no faults after a pause")
	}

	injected.Stop()
	injected.Stop()
	total := injected.Counts().Total()
	for range 30 {
		if err := c.write("0"); err != nil {
			t.Error("after Stop:", err)
		}
	}
	applied, err := c.query()
	if want := n - writes["Aborted, 0 sent"] - writes["DeadlineExceeded, 0 sent"] - writes["Unavailable, 0 sent"]; err != nil || applied < want {
		t.Errorf("%d writes were applied, %v; want %d", applied, err, want)
	}
	if now := injected.Counts().Total(); now != total {
		t.Errorf("%d faults after Stop", now-total)
	}
}

func keys(m map[string]int) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func TestSameSeedRepeatsFaults(t *testing.T) {
	t.Parallel()
	fates := func(seed uint64) (codes []codes.Code) {
		c := openRaw(t, faults.New(faults.Plan{Rate: 0.5, Seed: seed}).Interceptor())
		for range 40 {
			codes = append(codes, status.Code(c.write("d")))
		}
		return codes
	}
	first := fates(7)
	if again := fates(7); !slices.Equal(first, again) {
		t.Errorf("seed 7 made %v, then %v", first, again)
	}
	if other := fates(8); slices.Equal(first, other) {
		t.Errorf("seeds 7 and 8 both made %v", first)
	}
}

func TestFaultsSpareRollbacks(t *testing.T) {
	t.Parallel()
	plain := openRaw(t)
	begun, err := plain.BeginTransaction(plain.ctx, &pb.BeginTransactionRequest{Database: plain.db})
	if err != nil {
		t.Fatal(err)
	}
	c := openRaw(t, faults.New(faults.Plan{Rate: 1}).Interceptor())
	if _, err := c.Rollback(plain.ctx, &pb.RollbackRequest{Database: plain.db, Transaction: begun.GetTransaction()}); err != nil {
		t.Error(err)
	}
	if err := c.write("d"); err == nil {
		t.Error("at a rate of 1 a write went well")
	}
}

// Whatever fails in a transaction, the client library's rollback frees its
// locks: the next write need not wait the twenty seconds that they last.
func TestFaultsLeaveNoLocks(t *testing.T) {
	t.Parallel()
	injected := faults.New(faults.Plan{Rate: 0.3, Seed: 3})
	c := open(t, injected.Interceptor())
	doc := c.Doc("docs/d")
	var went, failed int64
	for range 25 {
		err := c.RunTransaction(t.Context(), func(_ context.Context, tx *firestore.Transaction) error {
			n, err := number(tx.Get(doc))
			if err != nil {
				return err
			}
			return tx.Set(doc, map[string]any{"n": n + 1})
		})
		if err != nil {
			failed++
		} else {
			went++
		}
	}
	injected.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if _, err := doc.Update(ctx, []firestore.Update{{Path: "last", Value: true}}); err != nil {
		t.Errorf("a write after %v: %v", injected.Counts(), err)
	}
	n, err := number(doc.Get(t.Context()))
	if err != nil || n < went {
		t.Errorf("%d transactions went well, the document has %d of them, %v", went, n, err)
	}
	if failed == 0 || went == 0 {
		t.Errorf("%d transactions went well and %d failed, want some of both", went, failed)
	}
}

// A transaction is held before it has begun, until its time is over or the
// faults end.
func TestStalls(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		long time.Duration
		stop bool
	}{
		"for a time": {100 * time.Millisecond, false},
		"until Stop": {time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			injected := faults.New(faults.Plan{Stall: 1, StallFor: test.long})
			var sent trace
			c := open(t, injected.Interceptor(), sent.interceptor())
			began := time.Now()
			done := make(chan error, 1)
			go func() {
				done <- c.RunTransaction(t.Context(), func(_ context.Context, tx *firestore.Transaction) error {
					return tx.Set(c.Doc("docs/d"), map[string]any{"n": 1})
				})
			}()
			if test.stop {
				emulator.Eventually(t, "the stall", func() bool { return injected.Counts().Stalled == 1 })
				if n := sent.count("BeginTransaction"); n != 0 {
					t.Errorf("%d transactions have begun while they are held", n)
				}
				injected.Stop()
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
			if took := time.Since(began); !test.stop && took < test.long {
				t.Errorf("it took %v, want %v or more", took, test.long)
			}
			if got, want := injected.Counts(), (faults.Counts{Stalled: 1}); got != want {
				t.Errorf("counted %v, want %v", got, want)
			}
		})
	}
	t.Run("until the caller gives up", func(t *testing.T) {
		t.Parallel()
		c := openRaw(t, faults.New(faults.Plan{Stall: 1, StallFor: time.Hour}).Interceptor())
		ctx, cancel := context.WithTimeout(c.ctx, 50*time.Millisecond)
		defer cancel()
		_, err := c.BeginTransaction(ctx, &pb.BeginTransactionRequest{Database: c.db})
		if status.Code(err) != codes.DeadlineExceeded {
			t.Errorf("%v, want DeadlineExceeded", err)
		}
	})
	t.Run("a write outside of a transaction", func(t *testing.T) {
		t.Parallel()
		injected := faults.New(faults.Plan{Stall: 1, StallFor: time.Millisecond})
		c := open(t, injected.Interceptor())
		if _, err := c.Doc("docs/d").Set(t.Context(), map[string]any{"n": 1}); err != nil || injected.Counts().Stalled != 1 {
			t.Errorf("%v after %v; want one stall", err, injected.Counts())
		}
	})
	t.Run("a read that begins one", func(t *testing.T) {
		t.Parallel()
		injected := faults.New(faults.Plan{Stall: 1, StallFor: time.Millisecond})
		c := openRaw(t, injected.Interceptor())
		s, err := c.BatchGetDocuments(c.ctx, &pb.BatchGetDocumentsRequest{
			Database: c.db, ConsistencySelector: &pb.BatchGetDocumentsRequest_NewTransaction{NewTransaction: &pb.TransactionOptions{}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := s.Recv(); err != nil || len(answer.GetTransaction()) == 0 || injected.Counts().Stalled != 1 {
			t.Errorf("%v, %v after %v; want a transaction after one stall", answer, err, injected.Counts())
		}
	})
}
