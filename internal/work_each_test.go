package internal_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
)

// However many items meet damaged documents, each is named, and what one other
// fails for is not lost among them.
func TestEachNamesAllDamagedDocuments(t *testing.T) {
	const items = 4 * schema.MaxErrors
	for name, last := range map[string]error{"and nothing else": nil, "and another error": errors.New("other")} {
		_, err := work.Each(t.Context(), poolOf(1), make([]struct{}, items), func() func(context.Context, struct{}) error {
			n := 0
			return func(context.Context, struct{}) error {
				if n++; n == items && last != nil {
					return last
				}
				return &schema.DamagedIndex{Index: schema.IndexID(n)}
			}
		}())
		want := items
		if last != nil {
			want--
		}
		if got := len(schema.DamagedIndexes(err)); got != want || schema.OnlyDamaged(err) != (last == nil) {
			t.Errorf("%s: %d damaged documents, want %d; only damaged is %v", name, got, want, schema.OnlyDamaged(err))
		}
	}
}

func poolOf(parallel int) work.Pool {
	return work.NewPool(schema.MemoryBudget, parallel, slog.Default())
}

func TestEachAPanicIsAnError(t *testing.T) {
	x := poolOf(2)
	_, err := work.Each(t.Context(), x, []int{1, 2, 3}, func(_ context.Context, n int) error {
		if n == 2 {
			panic(fmt.Sprint("cannot decode ", n))
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "cannot decode 2") {
		t.Errorf("the error is %v, want the panic", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := x.Memory.Take(ctx, schema.MemoryBudget); err != nil {
		t.Errorf("memory is taken when each has ended: %v", err)
	}
}

func TestEachContinuesAfterFailedItems(t *testing.T) {
	x := poolOf(2)
	var mu sync.Mutex
	var done []int
	items := make([]int, 40)
	for n := range items {
		items[n] = n
	}
	stale, err := work.Each(t.Context(), x, items, func(_ context.Context, n int) error {
		mu.Lock()
		defer mu.Unlock()
		done = append(done, n)
		switch {
		case n == 3:
			return store.ErrStale
		case n == 4:
			return schema.BadDocument("posts/p", "bad")
		case n >= 5 && n < 25:
			return fmt.Errorf("failed %d", n)
		}
		return nil
	})
	slices.Sort(done)
	if !slices.Equal(done, items) || stale != 1 {
		t.Errorf("done are %v, want all; %d were stale, want 1", done, stale)
	}
	if err == nil || strings.Count(err.Error(), "failed") != schema.MaxErrors || !strings.Contains(err.Error(), "posts/p") {
		t.Errorf("the error is %v, want the first %d and the bad document", err, schema.MaxErrors)
	}
	if errors.Is(err, schema.ErrBadDocument) {
		t.Error("the error is of a bad document, so that what failed would not be tried again")
	}
	_, err = work.Each(t.Context(), x, items, func(context.Context, int) error { return schema.BadDocument("posts/p", "bad") })
	if !errors.Is(err, schema.ErrBadDocument) {
		t.Errorf("the error is %v, want ErrBadDocument where there is no other", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = work.Each(ctx, x, items, func(ctx context.Context, _ int) error { return ctx.Err() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its time each returns %v", err)
	}
}

// More memory lets more be written at once. Not in parallel: the limit is the process's.
func TestBudgetFollowsTheMemoryLimit(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for limit, want := range map[int64]int{
		math.MaxInt64: schema.MemoryBudget,
		64 << 20:      schema.MemoryBudget,
		460 << 20:     460 << 16,
	} {
		if debug.SetMemoryLimit(limit); work.Budget() != want {
			t.Errorf("with a limit of %d bytes, the budget is %d, want %d", limit, work.Budget(), want)
		}
	}
}
