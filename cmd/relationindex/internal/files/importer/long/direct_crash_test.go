package importer_test

import (
	"testing"

	"example.com/relationindex/cmd/relationindex/internal/files/importer"
	"example.com/relationindex/cmd/relationindex/internal/files/importer/importertest"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/internal/config"
)

// An import is killed at each of its writes in turn, or each of its reads fails,
// and it is run again: the documents are as if nothing had happened.
func TestAnotherRunFinishesWhateverAKilledOneLeft(t *testing.T) {
	t.Parallel()
	text := "a x\nb x\nc x\nd x\nb y\nc y\na z\nb z\nx z\n"
	for name, before := range map[string]struct {
		do      func(s *importertest.System)
		follows int // more than the file's
	}{
		"a new graph": {do: func(*importertest.System) {}},
		"authors with posts": {do: func(s *importertest.System) {
			s.Posts("x", 2)
			s.Posts("y", 5) // more than goes inline
		}},
		"follows that nothing has indexed yet": {do: func(s *importertest.System) {
			s.Posts("x", 2)
			for _, follower := range []string{"a", "b", "c", "d"} {
				s.Follow(follower, "x")
			}
		}},
		"authors with followers and posts": {follows: 2, do: func(s *importertest.System) {
			s.Posts("x", 2)
			s.Posts("z", 4)
			s.Direct("a x\nf x\ng z\n", 3, importer.Options{})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for misfortune, comes := range faults.Misfortunes() {
				points := 0
				for at := 1; ; at++ {
					s := importertest.New(t, config.Functions{Capacity: 2, InlineLimit: 3})
					before.do(s)
					interceptor, happened := comes(at)
					_, err := importer.Direct(t.Context(), s.Instance(interceptor), importertest.FollowsOf(t, text), importer.Options{})
					if !happened() {
						if err != nil {
							t.Fatal(err)
						}
						break // there is no at-th
					}
					if err == nil {
						t.Fatalf("%s %d, and no error", misfortune, at)
					}
					points++
					s.Direct(text, 9, importer.Options{})
					s.WantVerified(9 + before.follows)
					if t.Failed() {
						t.Fatalf("%s %d", misfortune, at)
					}
				}
				t.Logf("%s at %d points", misfortune, points)
				if points < 3 {
					t.Errorf("%s at %d points alone", misfortune, points)
				}
			}
		})
	}
}
