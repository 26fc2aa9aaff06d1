package internal_test

import (
	"errors"
	"slices"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/work"
)

func TestHalvedTriesBothHalves(t *testing.T) {
	rejected := status.Error(codes.InvalidArgument, "too many index entries")
	down := status.Error(codes.Unavailable, "down")
	items := []int{0, 1, 2, 3, 4, 5, 6, 7}
	for name, c := range map[string]struct {
		refuses []int
		with    error
		done    []int
	}{
		"nothing is rejected":  {nil, nil, items},
		"one is":               {[]int{5}, rejected, []int{0, 1, 2, 3, 4, 6, 7}},
		"the first and a last": {[]int{0, 7}, rejected, []int{1, 2, 3, 4, 5, 6}},
		"all are":              {items, rejected, nil},
		"a retry may help":     {[]int{5}, down, nil},
	} {
		var done, alone []int
		err := work.BisectRejected(items, func(part []int) error {
			for _, n := range part {
				if slices.Contains(c.refuses, n) {
					return c.with
				}
			}
			done = append(done, part...)
			return nil
		}, func(n int, rejected error) error {
			alone = append(alone, n)
			return rejected
		})
		if final := errors.Is(c.with, rejected); final && !slices.Equal(alone, c.refuses) || !final && len(alone) > 0 {
			t.Errorf("%s: alone are %v, want %v", name, alone, c.refuses)
		}
		if !slices.Equal(done, c.done) || !errors.Is(err, c.with) {
			t.Errorf("%s: done are %v with %v, want %v with %v", name, done, err, c.done, c.with)
		}
	}
}
