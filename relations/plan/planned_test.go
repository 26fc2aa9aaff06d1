package plan

import (
	"strings"
	"testing"
	"time"

	"example.com/relationindex/schema"
)

// At a capacity of 500 an index document might have 750 KB of the longest ids.
// With Firebase's it has 14 KB, and 59 relations share a transaction.
func TestPlansAreByRealSize(t *testing.T) {
	t.Parallel()
	const capacity = 500
	copied := map[string]any{schema.FieldCreatedAt: time.Time{}}
	plan := func(capacity, idBytes int) Planned {
		return PlannedFor(schema.Config{NoOwnPosts: true, Capacity: capacity}, strings.Repeat("p", 20), copied, min(capacity*idBytes, schema.DefaultFollowersBytes))
	}
	if got := plan(capacity, schema.TypicalIDBytes); got.Create < 59 || got.Refresh < 59 || got.Drop < 59 {
		t.Errorf("%+v, want at least {59 59 59}", got)
	}
	for _, capacity := range []int{1, capacity, schema.DefaultCapacity} {
		last := Planned{Create: 1 << 30, Refresh: 1 << 30, Drop: 1 << 30}
		for idBytes := 2; idBytes <= schema.MaxIDBytes+1; idBytes++ {
			got := plan(capacity, idBytes)
			if got.Create > last.Create || got.Refresh > last.Refresh || got.Drop > last.Drop || got.Create < 1 {
				t.Fatalf("capacity %d: with ids of %d bytes %+v, with shorter ones %+v", capacity, idBytes, got, last)
			}
			last = got
		}
	}
}

// However small the documents before were, those that are read next have room
// in memory if each is full.
func TestCopiesAreReadWithinTheirMemory(t *testing.T) {
	t.Parallel()
	for _, o := range []schema.Config{{NoOwnPosts: true, Capacity: 1}, {NoOwnPosts: true, Capacity: 500}, {NoOwnPosts: true}} {
		o = o.WithDefaults()
		for _, before := range []Copies{{}, {1, 2, 100}, {50, 100, 1000}, {3, 6 * o.FullBytes(), schema.TransactionLimit / 2}, {1, schema.MemoryBudget, schema.TransactionLimit}} {
			got := before.Next(o, []string{"p"}, schema.MemoryBudget)
			if got < 1 || got > 1 && before.IDs+got*o.FullBytes() > schema.MemoryBudget {
				t.Errorf("capacity %d, after %+v: reads %d of at most %d bytes, may hold %d", o.Capacity, before, got, o.FullBytes(), schema.MemoryBudget)
			}
		}
	}
}
