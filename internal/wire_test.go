package internal_test

import (
	"context"
	"fmt"
	"path"
	"testing"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

func open(t *testing.T, interceptors ...wire.Interceptor) *firestore.Client {
	t.Helper()
	return testkit.OpenAt(t, testkit.Machine(t).Emulator.FirestoreHost(), interceptors...)
}

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// The meter counts each operation as Firestore bills it. The meter of a run, in the
// context, counts the same except sizes.
func TestMeterCountsBilledOperations(t *testing.T) {
	t.Parallel()
	var meter wire.Meter
	c := open(t, meter.Interceptor())
	wrote, read, found := must[*firestore.WriteResult](t), must[[]*firestore.DocumentSnapshot](t), must[firestore.AggregationResult](t)
	ctx, ofRun := wire.WithMeter(t.Context())
	doc := func(i int) *firestore.DocumentRef { return c.Doc(fmt.Sprintf("docs/d%d", i)) }
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name                   string
		do                     func()
		reads, writes, deletes int64
	}{
		{"a write", func() { wrote(doc(1).Set(ctx, map[string]any{"n": 1})) }, 0, 1, 0},
		{"a write with a transform", func() { wrote(doc(2).Set(ctx, map[string]any{"n": 2, "at": firestore.ServerTimestamp})) }, 0, 1, 0},
		{"a write that is refused", func() { _, _ = doc(1).Create(ctx, map[string]any{}) }, 0, 0, 0},
		{"a read of one", func() { _, err := doc(1).Get(ctx); ok(err) }, 1, 0, 0},
		{"a read of what is not there", func() { _, _ = doc(9).Get(ctx) }, 1, 0, 0},
		{"a read of three by name", func() { read(c.GetAll(ctx, []*firestore.DocumentRef{doc(1), doc(2), doc(9)})) }, 3, 0, 0},
		{"a query with two results", func() { read(c.Collection("docs").Documents(ctx).GetAll()) }, 2, 0, 0},
		{"a projection", func() { read(c.Collection("docs").Select().Documents(ctx).GetAll()) }, 2, 0, 0},
		{"a query without results", func() { read(c.Collection("none").Documents(ctx).GetAll()) }, 1, 0, 0},
		{"a count", func() { found(c.Collection("docs").NewAggregationQuery().WithCount("n").Get(ctx)) }, 1, 0, 0},
		{"a transaction", func() {
			ok(c.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
				if _, err := tx.GetAll([]*firestore.DocumentRef{doc(1), doc(2)}); err != nil {
					return err
				}
				if err := tx.Set(doc(3), map[string]any{"n": 3}); err != nil {
					return err
				}
				return tx.Delete(doc(2))
			}))
		}, 2, 1, 1},
		{"a bulk writer", func() {
			bulk := c.BulkWriter(ctx)
			set, err := bulk.Set(doc(4), map[string]any{"n": 4})
			ok(err)
			refused, err := bulk.Create(doc(1), map[string]any{})
			ok(err)
			bulk.End()
			wrote(set.Results())
			if _, err := refused.Results(); err == nil {
				t.Error("a document was created twice")
			}
		}, 0, 1, 0},
		{"a delete", func() { wrote(doc(1).Delete(ctx)) }, 0, 0, 1},
	} {
		before := meter.Counts()
		step.do()
		used := meter.Counts().Minus(before)
		if used.Reads != step.reads || used.Writes != step.writes || used.Deletes != step.deletes {
			t.Errorf("%s: counted %v, want %d reads, %d writes, %d deletes", step.name, used, step.reads, step.writes, step.deletes)
		}
		if used.Requests == 0 || used.Sent == 0 {
			t.Errorf("%s: counted %+v, want requests and bytes", step.name, used)
		}
	}
	all := meter.Counts()
	if all.Sent, all.Received = 0, 0; ofRun.Counts() != all {
		t.Errorf("the run's meter counted %+v, the client's %+v", ofRun.Counts(), all)
	}
	if _, err := c.Doc("docs/d3").Get(t.Context()); err != nil || ofRun.Counts() != all {
		t.Errorf("a call outside of the run is counted as the run's (%v)", err)
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	c := open(t)
	large, small := c.Doc("large/d"), c.Doc("small/d")
	for _, ref := range []*firestore.DocumentRef{large, small} {
		must[*firestore.WriteResult](t)(ref.Set(t.Context(), map[string]any{"array": []int{1, 2, 3}, "count": 3}))
	}
	whole, masked := map[string]any{"array": []any{int64(1), int64(2), int64(3)}, "count": int64(3)}, map[string]any{"count": int64(3)}
	ctx := wire.WithMask(t.Context(), func(document string) bool { return path.Base(path.Dir(document)) == "large" }, "count")
	for _, test := range []struct {
		name string
		refs []*firestore.DocumentRef
		want []map[string]any
	}{
		{"a document that matches", []*firestore.DocumentRef{large}, []map[string]any{masked}},
		{"one that does not", []*firestore.DocumentRef{small}, []map[string]any{whole}},
		{"both in one read", []*firestore.DocumentRef{large, small}, []map[string]any{whole, whole}},
	} {
		check := func(how string, docs []*firestore.DocumentSnapshot) {
			var got []map[string]any
			for _, doc := range docs {
				got = append(got, doc.Data())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", test.name, how, diff)
			}
		}
		check("by name", must[[]*firestore.DocumentSnapshot](t)(c.GetAll(ctx, test.refs)))
		err := c.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
			docs, err := tx.GetAll(test.refs)
			check("in a transaction", docs)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Masks of a context apply one by one, the last one first, and take any field's name.
func TestMasks(t *testing.T) {
	t.Parallel()
	c := open(t)
	fields := map[string]any{"plain": int64(1), "two words": int64(2), "a`b\\c": int64(3), "9": int64(4), "rest": int64(5)}
	refs := []*firestore.DocumentRef{c.Doc("one/d"), c.Doc("other/d")}
	for _, ref := range refs {
		must[*firestore.WriteResult](t)(ref.Set(t.Context(), fields))
	}
	of := func(collection string) func(string) bool {
		return func(document string) bool { return path.Base(path.Dir(document)) == collection }
	}
	ctx := wire.WithMask(t.Context(), of("one"), "rest")
	ctx = wire.WithMask(ctx, of("other"), "two words", "a`b\\c", "9")
	ctx = wire.WithMask(ctx, of("one"), "plain")
	for n, want := range []map[string]any{{"plain": int64(1)}, {"two words": int64(2), "a`b\\c": int64(3), "9": int64(4)}} {
		docs := must[[]*firestore.DocumentSnapshot](t)(c.GetAll(ctx, refs[n:n+1]))
		if diff := cmp.Diff(want, docs[0].Data()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", refs[n].Path, diff)
		}
	}
}

// aborting answers the first n commits with Aborted.
func aborting(n int, transactions *int) wire.Interceptor {
	return wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if commit, ok := req.(*pb.CommitRequest); ok {
			if commit.GetTransaction() != nil {
				*transactions++
			}
			if n > 0 {
				n--
				return status.Error(codes.Aborted, "lock timeout")
			}
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}}
}

func TestAbortedWritesAreRepeated(t *testing.T) {
	t.Parallel()
	var transactions int
	c := open(t, aborting(3, &transactions))
	if _, err := c.Doc("docs/d").Set(t.Context(), map[string]any{"n": 1}); err != nil {
		t.Errorf("a write that was aborted three times: %v", err)
	}
	c = open(t, aborting(1000, &transactions))
	if _, err := c.Doc("docs/d").Set(t.Context(), map[string]any{"n": 1}); status.Code(err) != codes.Aborted {
		t.Errorf("a write that is always aborted: %v, want Aborted in the end", err)
	}
	// Transactions are the client library's to repeat.
	c = open(t, aborting(1, &transactions))
	err := c.RunTransaction(t.Context(), func(_ context.Context, tx *firestore.Transaction) error {
		return tx.Set(c.Doc("docs/d"), map[string]any{"n": 2})
	}, firestore.MaxAttempts(1))
	if status.Code(err) != codes.Aborted || transactions != 1 {
		t.Errorf("a transaction of one attempt: %v after %d commits, want Aborted after 1", err, transactions)
	}
}
