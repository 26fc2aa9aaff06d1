//go:build long

package files_test

import (
	"testing"

	"example.com/relationindex/cmd/relationindex/internal/files"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/schema"
)

// An import is killed at each of its writes in turn, or each of its reads fails,
// and it is run again: the documents are as if nothing had happened.
func TestNextRunFinishesKilledRun(t *testing.T) {
	t.Parallel()
	text := "a x\nb x\nc x\nd x\nb y\nc y\na z\nb z\nx z\n"
	for name, before := range map[string]struct {
		do      func(s *app)
		follows int // more than the file's
	}{
		"a new graph": {do: func(*app) {}},
		"authors with posts": {do: func(s *app) {
			s.posts("x", 2)
			s.posts("y", 5) // more than goes inline
		}},
		"follows that nothing has indexed yet": {do: func(s *app) {
			s.posts("x", 2)
			for _, follower := range []string{"a", "b", "c", "d"} {
				s.Follow(follower, "x")
			}
		}},
		"authors with followers and posts": {follows: 2, do: func(s *app) {
			s.posts("x", 2)
			s.posts("z", 4)
			s.direct("a x\nf x\ng z\n", 3, files.ImportOptions{})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for misfortune, comes := range faults.Misfortunes() {
				points := 0
				for at := 1; ; at++ {
					s := open(t, schema.Config{NoOwnPosts: true, Capacity: 2, InlineLimit: 3})
					before.do(s)
					interceptor, happened := comes(at)
					_, err := files.Direct(t.Context(), s.Instance(interceptor), followsOf(t, text), files.ImportOptions{})
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
					s.direct(text, 9, files.ImportOptions{})
					s.wantVerified(9 + before.follows)
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
