package relations

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

func TestOnlyDamaged(t *testing.T) {
	index := &damagedIndex{author: "u", index: "00001", cause: errors.New("count is a string")}
	second := &damagedIndex{author: "u", index: "00002"}
	mirror := &damagedMirror{path: "users/f/following/u"}
	other := errors.New("other")
	for name, c := range map[string]struct {
		err     error
		only    bool
		indexes int
	}{
		"nothing":                          {nil, false, 0},
		"another":                          {other, false, 0},
		"an index document":                {index, true, 1},
		"a mirror":                         {mirror, true, 0},
		"wrapped":                          {fmt.Errorf("sync: %w", index), true, 1},
		"two":                              {errors.Join(index, fmt.Errorf("members: %w", mirror)), true, 1},
		"one of two":                       {errors.Join(index, other), false, 1},
		"one of two, the other first":      {errors.Join(other, index), false, 1},
		"one of two, deep":                 {fmt.Errorf("a: %w", errors.Join(index, fmt.Errorf("b: %w", errors.Join(second, other)))), false, 2},
		"two in one text":                  {fmt.Errorf("%w: %w", index, other), false, 1},
		"two documents, one of them twice": {errors.Join(index, fmt.Errorf("b: %w", errors.Join(second, index))), true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			if got := onlyDamaged(c.err); got != c.only {
				t.Errorf("onlyDamaged is %v, want %v", got, c.only)
			}
			if got := len(damagedIndexes(c.err)); got != c.indexes {
				t.Errorf("%d index documents, want %d", got, c.indexes)
			}
		})
	}
}

// However many items meet damaged documents, each is named, and what one other
// fails for is not lost among them.
func TestEachNamesAllDamagedDocuments(t *testing.T) {
	const items = 4 * maxErrors
	for name, last := range map[string]error{"and nothing else": nil, "and another error": errors.New("other")} {
		_, err := each(t.Context(), indexOfParallel(1), make([]struct{}, items), func() func(context.Context, struct{}) error {
			n := 0
			return func(context.Context, struct{}) error {
				if n++; n == items && last != nil {
					return last
				}
				return &damagedIndex{index: indexID(n)}
			}
		}())
		want := items
		if last != nil {
			want--
		}
		if got := len(damagedIndexes(err)); got != want || onlyDamaged(err) != (last == nil) {
			t.Errorf("%s: %d damaged documents, want %d; only damaged is %v", name, got, want, onlyDamaged(err))
		}
	}
}
