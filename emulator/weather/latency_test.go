package weather_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"

	"example.com/relationindex/emulator/weather"
)

const ms = time.Millisecond

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

// One of a hundred is shorter than a range, one longer; half are below the geometric mean.
func TestLatencyIsLogNormal(t *testing.T) {
	t.Parallel()
	w, err := weather.New(weather.Options{Seed: 3}, []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	const n = 20_000
	shorter, longer, belowMedian := 0, 0, 0
	for range n {
		d := w.Draw(weather.Range{From: 2 * ms, To: 18 * ms})
		if d < 2*ms {
			shorter++
		}
		if d > 18*ms {
			longer++
		}
		if d < 6*ms {
			belowMedian++
		}
	}
	if percent := func(k int) float64 { return 100 * float64(k) / n }; percent(shorter) < 0.5 || percent(shorter) > 1.5 || percent(longer) < 0.5 || percent(longer) > 1.5 || percent(belowMedian) < 48 || percent(belowMedian) > 52 {
		t.Errorf("%v %% shorter, %v %% longer, %v %% below the median", percent(shorter), percent(longer), percent(belowMedian))
	}
}

// The machine's clock waits as long as it should, and no longer than the caller.
func TestWaitsInRealTime(t *testing.T) {
	t.Parallel()
	w := timed(t, weather.Options{Latency: weather.Latency{Read: exactly(300 * ms), Commit: exactly(time.Hour)}})
	began := time.Now()
	if _, err := w.client.Collection("d").Documents(t.Context()).GetAll(); err != nil || time.Since(began) < 300*ms {
		t.Errorf("a query took %v, want at least 300 ms; %v", time.Since(began), err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*ms)
	defer cancel()
	_, err := w.client.Doc("d/1").Set(ctx, map[string]any{})
	wantCode(t, "a commit that waits longer than its caller", err, codes.DeadlineExceeded)
	docs, err := w.bare.Collection("d").Documents(t.Context()).GetAll()
	if err != nil || len(docs) != 0 {
		t.Errorf("it has written %d documents; %v", len(docs), err)
	}
}
