package importer_test

import (
	"testing"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/importer"
	"example.com/relationindex/internal/wire"
)

// An import is killed before and after each of its calls in turn, and run
// again: the documents are as if nothing had happened.
func TestAnotherRunFinishesWhateverAKilledOneLeft(t *testing.T) {
	t.Parallel()
	text := "a x\nb x\nc x\nd x\nb y\nc y\na z\nb z\nx z\n"
	for name, before := range map[string]struct {
		do      func(s *system)
		follows int // more than the file's
	}{
		"a new graph": {do: func(*system) {}},
		"authors with posts": {do: func(s *system) {
			s.posts("x", 2)
			s.posts("y", 5) // more than goes inline
		}},
		"follows that nothing has indexed yet": {do: func(s *system) {
			s.posts("x", 2)
			for _, follower := range []string{"a", "b", "c", "d"} {
				s.Follow(follower, "x")
			}
		}},
		"authors with followers and posts": {follows: 2, do: func(s *system) {
			s.posts("x", 2)
			s.posts("z", 4)
			s.direct("a x\nf x\ng z\n", 3, importer.Options{})
		}},
	} {
		for _, after := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				points := 0
				for at := 1; ; at++ {
					s := newSystem(t, config.Functions{Capacity: 2, InlineLimit: 3})
					before.do(s)
					d := wire.NewDeath(at, after)
					_, err := importer.Direct(t.Context(), s.Instance(d.Interceptor()), followsOf(t, text), importer.Options{})
					if !d.Died() {
						if err != nil {
							t.Fatal(err)
						}
						break // there is no at-th call
					}
					if err == nil {
						t.Fatalf("killed at call %d of %d, after it: %v, and no error", at, d.Calls(), after)
					}
					points++
					s.direct(text, 9, importer.Options{})
					s.wantVerified(9 + before.follows)
					if t.Failed() {
						t.Fatalf("killed at call %d, after it: %v", at, after)
					}
				}
				t.Logf("killed at %d points", points)
				if points < 20 {
					t.Errorf("only %d points were found", points)
				}
			})
		}
	}
}
