//go:build long

package files_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/relationindex/cmd/relationindex/internal/files"
	"example.com/relationindex/schema"
)

func TestDirectMakesAnIndexThatVerifies(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rows   int
		cfg    schema.Config
		window int
		posts  map[string]int
	}{
		"one window":                {2000, schema.Config{NoOwnPosts: true, Capacity: 3}, 0, nil},
		"many windows":              {250, schema.Config{NoOwnPosts: true, Capacity: 3}, 4000, nil},
		"authors with posts":        {600, schema.Config{NoOwnPosts: true, Capacity: 3}, 0, map[string]int{"a0": 3, "a1": 1, "a7": 2}},
		"more posts than go inline": {120, schema.Config{NoOwnPosts: true, Capacity: 20, InlineLimit: 4}, 4000, map[string]int{"a0": 30, "a2": 5}},
		"posts that hide others":    {60, schema.Config{NoOwnPosts: true, Capacity: 50, InlineLimit: 50}, 0, map[string]int{"a0": 310, "a1": 2, "a2": 1}},
		"an author in many batches": {1000, schema.Config{NoOwnPosts: true}, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, test.cfg)
			for author, n := range test.posts {
				s.posts(author, n)
			}
			text, follows := graph(1, 60, test.rows)
			if name == "an author in many batches" {
				text, follows = "", test.rows
				for n := range test.rows {
					text += fmt.Sprintf("f%d a0\n", n)
				}
			}
			o := files.ImportOptions{Window: test.window}
			first := s.direct(text, test.rows, o)
			s.wantVerified(follows)
			again := s.direct(text, test.rows, o)
			if again.Writes+again.Deletes > 0 {
				t.Errorf("the second time it cost %v, want no writes", again)
			}
			t.Logf("%d follows: %v; again: %v", follows, first, again)
		})
	}
}

// graph is a file of n rows among some accounts, and how many follows it has:
// some rows come twice. Account a0 is the most popular.
func graph(seed uint64, accounts, n int) (text string, follows int) {
	random := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	seen := map[string]bool{}
	for range n {
		author := random.IntN(1 + random.IntN(accounts))
		follower := (author + 1 + random.IntN(accounts-1)) % accounts
		row := fmt.Sprintf("a%d a%d\n", follower, author)
		seen[row] = true
		b.WriteString(row)
	}
	return b.String(), len(seen)
}
