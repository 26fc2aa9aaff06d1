//go:build long

package weather_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"

	"example.com/relationindex/emulator/weather"
)

// ways returns the ways in which a client can send a query.
func ways(ctx context.Context, client *firestore.Client) map[string]func(firestore.Query) error {
	return map[string]func(firestore.Query) error{
		"documents": func(q firestore.Query) error {
			_, err := q.Documents(ctx).GetAll()
			return err
		},
		"count": func(q firestore.Query) error {
			_, err := q.NewAggregationQuery().WithCount("n").Get(ctx)
			return err
		},
		"transaction": func(q firestore.Query) error {
			return client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
				_, err := tx.Documents(q).GetAll()
				return err
			})
		},
		"snapshots": func(q firestore.Query) error {
			it := q.Snapshots(ctx)
			defer it.Stop()
			_, err := it.Next()
			return err
		},
	}
}

// Only queries that need an index fail while it builds.
func TestIndexThatBuilds(t *testing.T) {
	t.Parallel()
	w := under(t, weather.Options{})
	w.Build(w.Indexes()[0], time.Minute)
	by := func(field string) firestore.Query {
		return w.client.Collection("c").Where(field, "==", 1).OrderBy("at", firestore.Desc)
	}
	check := func(when string, q firestore.Query, want codes.Code) {
		t.Helper()
		for way, ask := range ways(t.Context(), w.client) {
			err := ask(q)
			wantCode(t, when+", "+way, err, want)
			if want == codes.FailedPrecondition && (err == nil || !strings.Contains(err.Error(), "That index is currently building and cannot be used yet. See its status here: https://console.firebase.google.com/v1/r/project/"+w.project+"/firestore/indexes")) {
				t.Errorf("%s, %s: %v, want production's words", when, way, err)
			}
		}
	}
	check("building", by("a"), codes.FailedPrecondition)
	check("the other index", by("b"), codes.OK)
	check("an automatic index", w.client.Collection("c").Where("a", "==", 1), codes.OK)
	check("no index, which is the guard's", by("z"), codes.OK)
	w.clock.advance(time.Minute - 1)
	check("just before its end", by("a"), codes.FailedPrecondition)
	w.clock.advance(1)
	check("built", by("a"), codes.OK)
	if got := w.Counts().Building; got != 8 {
		t.Errorf("%d queries counted, want 8", got)
	}
	w.Build(w.Indexes()[1], time.Minute)
	w.Build(w.Indexes()[1], 0)
	check("no longer building", by("b"), codes.OK)
}

// All composite indexes build after the start, for a time that is scaled.
func TestIndexesThatBuildAtTheStart(t *testing.T) {
	t.Parallel()
	w := under(t, weather.Options{Building: time.Hour, Scale: 0.5})
	ask := func(field string) error {
		_, err := w.client.Collection("c").Where(field, "==", 1).OrderBy("at", firestore.Desc).Documents(t.Context()).GetAll()
		return err
	}
	wantCode(t, "a at the start", ask("a"), codes.FailedPrecondition)
	wantCode(t, "b at the start", ask("b"), codes.FailedPrecondition)
	w.clock.advance(29 * time.Minute)
	wantCode(t, "b after 29 minutes", ask("b"), codes.FailedPrecondition)
	w.clock.advance(time.Minute)
	wantCode(t, "a after 30 minutes", ask("a"), codes.OK)
}
