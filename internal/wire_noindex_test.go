package internal_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/internal/work"
)

// building answers queries as production does while their index is built: when they are sent, or
// when their answer is read.
func building(queries *int, sent bool) wire.Interceptor {
	return wire.Interceptor{Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := open(ctx, desc, cc, method, opts...)
		if err != nil || !strings.Contains(method, "Query") {
			return s, err
		}
		*queries++
		return unbuilt{s, sent}, nil
	}}
}

type unbuilt struct {
	grpc.ClientStream
	sent bool
}

var errBuilding = status.Error(codes.FailedPrecondition, "The query requires an index. You can create it here: https://console.example")

func (s unbuilt) SendMsg(req any) error {
	if s.sent {
		return errBuilding
	}
	return s.ClientStream.SendMsg(req)
}

func (s unbuilt) RecvMsg(any) error { return errBuilding }

// An index that is not built is no lost race: it is told at once, with the index, also in a
// transaction. A commit whose precondition fails is one, as before.
func TestMissingIndexIsNotReportedAsLostRace(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]bool{"when it is sent": true, "when it is answered": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			queries := 0
			c := open(t, building(&queries, sent))
			docs := c.Collection("docs")
			for what, ask := range map[string]func() error{
				"a query": func() error { _, err := docs.Documents(t.Context()).GetAll(); return err },
				"a count": func() error { _, err := docs.NewAggregationQuery().WithCount("n").Get(t.Context()); return err },
				"a query in a transaction": func() error {
					return c.RunTransaction(t.Context(), func(_ context.Context, tx *firestore.Transaction) error {
						_, err := tx.Documents(docs).GetAll()
						return err
					})
				},
			} {
				queries = 0
				err := work.UntilSettled(t.Context(), func() (int, error) {
					err := ask()
					if store.IsStale(err) {
						return 1, nil
					}
					return 0, err
				})
				if !errors.Is(err, wire.ErrNoIndex) || !strings.Contains(err.Error(), "https://console.example") || queries != 1 {
					t.Errorf("%s is asked %d times, and ends with: %v", what, queries, err)
				}
			}
			doc := docs.Doc("d")
			created, err := doc.Create(t.Context(), map[string]any{})
			if err != nil {
				t.Fatal(err)
			}
			change := func() error {
				_, err := doc.Update(t.Context(), []firestore.Update{{Path: "n", Value: 1}}, firestore.LastUpdateTime(created.UpdateTime))
				return err
			}
			if err := change(); err != nil {
				t.Fatal(err)
			}
			if err := change(); !store.IsStale(err) {
				t.Errorf("a commit whose precondition fails ends with %v, want it stale", err)
			}
		})
	}
}
