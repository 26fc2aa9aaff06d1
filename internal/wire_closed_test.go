package internal_test

import (
	"context"
	"slices"
	"testing"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

// loseCommit fails the first commit of a transaction: before it is sent, or
// when it has been applied. told notes the code of each commit's answer, as the
// client library sees it before Open does anything about it.
func loseCommit(code codes.Code, applied bool, told *[]codes.Code) wire.Interceptor {
	return wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) (err error) {
		if commit, ok := req.(*pb.CommitRequest); !ok || commit.GetTransaction() == nil {
			return invoke(ctx, method, req, reply, cc, opts...)
		}
		defer func() { *told = append(*told, status.Code(err)) }()
		if len(*told) > 0 {
			return invoke(ctx, method, req, reply, cc, opts...)
		}
		if applied {
			if err := invoke(ctx, method, req, reply, cc, opts...); err != nil {
				return err
			}
		}
		return status.Error(code, "lost")
	}}
}

// A transaction's first commit fails. On Unavailable, the client library repeats the
// commit with the same transaction. If the first try was applied, the emulator answers
// the second with InvalidArgument, as production does.
func TestTransactionRetriesAfterFailedCommit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		code    codes.Code
		applied bool
		told    []codes.Code
		err     codes.Code
		runs    int   // of the transaction function
		n       int64 // the number in the document, which each commit makes one more; 0: there is none
	}{
		{"aborted: it runs again", codes.Aborted, false, []codes.Code{codes.Aborted, codes.OK}, codes.OK, 2, 1},
		{"unavailable: the commit is repeated", codes.Unavailable, false, []codes.Code{codes.Unavailable, codes.OK}, codes.OK, 1, 1},
		{"unavailable, applied: it runs again, and sees what it did", codes.Unavailable, true,
			[]codes.Code{codes.Unavailable, codes.InvalidArgument, codes.OK}, codes.OK, 2, 2},
		{"exceeded deadline: the caller's to repeat", codes.DeadlineExceeded, false, []codes.Code{codes.DeadlineExceeded}, codes.DeadlineExceeded, 1, 0},
		{"exceeded deadline, applied: the same", codes.DeadlineExceeded, true, []codes.Code{codes.DeadlineExceeded}, codes.DeadlineExceeded, 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var told []codes.Code
			c := open(t, loseCommit(test.code, test.applied, &told))
			doc := c.Doc("docs/d")
			runs := 0
			err := c.RunTransaction(t.Context(), func(_ context.Context, tx *firestore.Transaction) error {
				runs++
				n, err := testkit.Number(tx.Get(doc))
				if err != nil {
					return err
				}
				return tx.Set(doc, map[string]any{"n": n + 1})
			})
			if status.Code(err) != test.err || runs != test.runs || !slices.Equal(told, test.told) {
				t.Errorf("%d runs, commits answered %v, error %v; want %d, %v, %v", runs, told, err, test.runs, test.told, test.err)
			}
			// No lock stays, or this would take twenty seconds and fail.
			n, err := testkit.Number(doc.Get(t.Context()))
			if err != nil || n != test.n {
				t.Errorf("the number is %d, %v; want %d", n, err, test.n)
			}
			if _, err := doc.Set(t.Context(), map[string]any{"n": 0}); err != nil {
				t.Error(err)
			}
		})
	}
}

// A transaction that the server gives up while its function is at work.
func TestTransactionClosedDuringReadIsRetried(t *testing.T) {
	t.Parallel()
	var giveUp func() error // the transaction that was begun last
	c := open(t, wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		err := invoke(ctx, method, req, reply, cc, opts...)
		if begun, ok := reply.(*pb.BeginTransactionResponse); ok {
			giveUp = func() error {
				_, err := pb.NewFirestoreClient(cc).Rollback(context.WithoutCancel(ctx), &pb.RollbackRequest{
					Database: req.(*pb.BeginTransactionRequest).GetDatabase(), Transaction: begun.GetTransaction(),
				})
				return err
			}
		}
		return err
	}})
	for name, read := range map[string]func(*firestore.Transaction) error{
		"by name": func(tx *firestore.Transaction) error { _, err := testkit.Number(tx.Get(c.Doc("docs/d"))); return err },
		"a query": func(tx *firestore.Transaction) error {
			_, err := tx.Documents(c.Collection("docs")).GetAll()
			return err
		},
	} {
		runs := 0
		err := c.RunTransaction(t.Context(), func(_ context.Context, tx *firestore.Transaction) error {
			if runs++; runs == 1 {
				if err := giveUp(); err != nil {
					return err
				}
			}
			return read(tx)
		})
		if err != nil || runs != 2 {
			t.Errorf("%s: %v after %d runs, want none after 2", name, err, runs)
		}
	}
}

// An InvalidArgument of another cause is not treated as a closed transaction.
func TestInvalidRequestInTransactionIsNotRetried(t *testing.T) {
	t.Parallel()
	c := open(t)
	runs := 0
	err := c.RunTransaction(t.Context(), func(_ context.Context, tx *firestore.Transaction) error {
		runs++
		return tx.Set(c.Doc("docs/__d__"), map[string]any{"n": 1}) // a reserved name
	})
	if status.Code(err) != codes.InvalidArgument || runs != 1 {
		t.Errorf("%v after %d runs, want InvalidArgument after one", err, runs)
	}
}
