//go:build long

package weather_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/emulator/weather"
)

// exactly is a range without chance.
func exactly(d time.Duration) weather.Range { return weather.Range{From: d, To: d} }

// near compares times, except for errors of floating point.
func near(got, want []time.Duration) bool {
	return slices.EqualFunc(got, want, func(a, b time.Duration) bool { return (a - b).Abs() < ms/100 })
}

// A read waits once, however a client asks; a commit waits for itself and for each index entry that it changes.
func TestLatency(t *testing.T) {
	t.Parallel()
	w := under(t, weather.Options{Latency: weather.Latency{Read: exactly(7 * ms), Commit: exactly(30 * ms), Entry: ms}})
	ctx := t.Context()
	ids := make([]string, 100)
	for i := range ids {
		ids[i] = string(rune('a'+i/26)) + string(rune('a'+i%26))
	}
	doc := w.client.Doc("d/1")
	wants := func(what string, err error, want ...time.Duration) {
		t.Helper()
		if got := w.clock.take(); err != nil || !near(got, want) {
			t.Errorf("%s: %v, waited %v, want %v", what, err, got, want)
		}
	}
	_, err := doc.Create(ctx, map[string]any{"ids": ids}) // ascending, descending, two for each element
	wants("create", err, (30+2+200)*ms)
	_, err = doc.Update(ctx, []firestore.Update{{Path: "ids", Value: ids[10:]}}) // both orders before and after, ten elements
	wants("update", err, (30+4+20)*ms)
	_, err = doc.Get(ctx)
	wants("get", err, 7*ms)
	_, err = w.client.Collection("d").Where("ids", "array-contains", "zz").Documents(ctx).GetAll()
	wants("query", err, 7*ms)
	_, err = w.client.Collection("d").NewAggregationQuery().WithCount("n").Get(ctx)
	wants("count", err, 7*ms)
	it := doc.Snapshots(ctx)
	_, err = it.Next()
	it.Stop()
	wants("snapshots", err, 7*ms)
	err = w.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		if _, err := tx.Get(doc); err != nil {
			return err
		}
		return tx.Delete(doc)
	})
	wants("transaction", err, 7*ms, 7*ms, (30+2+180)*ms)
	if got := w.Counts(); got.Calls != 9 || (got.Delay-(232+54+4*7+14+212)*ms).Abs() > ms {
		t.Errorf("counts: %+v", got)
	}
	w = under(t, weather.Options{})
	_, err = w.client.Doc("d/1").Create(ctx, map[string]any{"ids": ids})
	wants("no weather", err)
}
