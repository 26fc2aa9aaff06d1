package schema

import (
	"errors"
	"fmt"
	"testing"
)

func TestOnlyDamaged(t *testing.T) {
	index := &DamagedIndex{Author: "u", Index: "00001", Cause: errors.New("count is a string")}
	second := &DamagedIndex{Author: "u", Index: "00002"}
	edge := &Damaged{Path: "users/f/following/u", Author: "u"}
	other := errors.New("other")
	for name, c := range map[string]struct {
		err     error
		only    bool
		indexes int
	}{
		"nothing":                          {nil, false, 0},
		"another":                          {other, false, 0},
		"an index document":                {index, true, 1},
		"an edge":                          {edge, true, 0},
		"wrapped":                          {fmt.Errorf("sync: %w", index), true, 1},
		"two":                              {errors.Join(index, fmt.Errorf("members: %w", edge)), true, 1},
		"one of two":                       {errors.Join(index, other), false, 1},
		"one of two, the other first":      {errors.Join(other, index), false, 1},
		"one of two, deep":                 {fmt.Errorf("a: %w", errors.Join(index, fmt.Errorf("b: %w", errors.Join(second, other)))), false, 2},
		"two in one text":                  {fmt.Errorf("%w: %w", index, other), false, 1},
		"two documents, one of them twice": {errors.Join(index, fmt.Errorf("b: %w", errors.Join(second, index))), true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			if got := OnlyDamaged(c.err); got != c.only {
				t.Errorf("onlyDamaged is %v, want %v", got, c.only)
			}
			if got := len(DamagedIndexes(c.err)); got != c.indexes {
				t.Errorf("%d index documents, want %d", got, c.indexes)
			}
		})
	}
}
