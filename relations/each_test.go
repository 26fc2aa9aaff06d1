package relations

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/relationindex/internal/runtime/batch"
)

func indexOfParallel(n int) *Index {
	return &Index{memory: batch.NewLimiter(memoryBudget, n), opts: Options{}.withDefaults()}
}

func TestEachAPanicIsAnError(t *testing.T) {
	x := indexOfParallel(2)
	_, err := each(t.Context(), x, []int{1, 2, 3}, func(_ context.Context, n int) error {
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
	if _, err := x.memory.Take(ctx, memoryBudget); err != nil {
		t.Errorf("memory is taken when each has ended: %v", err)
	}
}

func TestEachGoesOn(t *testing.T) {
	x := indexOfParallel(2)
	var mu sync.Mutex
	var done []int
	items := make([]int, 40)
	for n := range items {
		items[n] = n
	}
	stale, err := each(t.Context(), x, items, func(_ context.Context, n int) error {
		mu.Lock()
		defer mu.Unlock()
		done = append(done, n)
		switch {
		case n == 3:
			return errStale
		case n == 4:
			return badDocument("posts/p", "bad")
		case n >= 5 && n < 25:
			return fmt.Errorf("failed %d", n)
		}
		return nil
	})
	slices.Sort(done)
	if !slices.Equal(done, items) || stale != 1 {
		t.Errorf("done are %v, want all; %d were stale, want 1", done, stale)
	}
	if err == nil || strings.Count(err.Error(), "failed") != maxErrors || !strings.Contains(err.Error(), "posts/p") {
		t.Errorf("the error is %v, want the first %d and the bad document", err, maxErrors)
	}
	if errors.Is(err, ErrBadDocument) {
		t.Error("the error is of a bad document, so that what failed would not be tried again")
	}
	_, err = each(t.Context(), x, items, func(context.Context, int) error { return badDocument("posts/p", "bad") })
	if !errors.Is(err, ErrBadDocument) {
		t.Errorf("the error is %v, want ErrBadDocument where there is no other", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = each(ctx, x, items, func(ctx context.Context, _ int) error { return ctx.Err() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its time each returns %v", err)
	}
}
