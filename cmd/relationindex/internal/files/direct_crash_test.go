//go:build long

package files_test

import (
	"fmt"
	"testing"

	"example.com/relationindex/cmd/relationindex/internal/files"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// An import is disturbed, and run again: the documents are as if nothing had happened.
func TestNextRunFinishesDisturbedRun(t *testing.T) {
	t.Parallel()
	text := "a x\nb x\nc x\nd x\nb y\nc y\na z\nb z\nx z\n"
	var works []testkit.Disturbed[*app]
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
		works = append(works, testkit.Disturbed[*app]{
			Name: name, Writes: 3, Reads: 3,
			Prepare: func(t *testing.T) *app {
				s := open(t, schema.Config{NoOwnPosts: true, Capacity: 2, InlineLimit: 3})
				before.do(s)
				return s
			},
			Act: func(s *app, p testkit.Process) error {
				summary, err := files.Direct(s.T.Context(), s.Instance(p.Interceptor), followsOf(s.T, text), files.ImportOptions{})
				if err == nil && summary.Imported != 9 {
					err = fmt.Errorf("%v, want 9 imported", summary)
				}
				return err
			},
			Check: func(s *app) { s.wantVerified(9 + before.follows) },
		})
	}
	testkit.Disturb(t, works...)
}
