package importer_test

import (
	"fmt"
	"testing"

	"example.com/relationindex/cmd/relationindex/internal/files/importer"
	"example.com/relationindex/cmd/relationindex/internal/files/importer/importertest"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/internal/config"
)

// What clients do while an import is under way counts, and nothing stays wrong.
func TestClientsMeanwhile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, meanwhile func(s *importertest.System) // meanwhile: before the follower documents are written
		follows           map[string]bool              // of alice
	}{
		"a follow": {
			meanwhile: func(s *importertest.System) { s.Follow("bob", "alice"); s.Settle() },
			follows:   map[string]bool{"bob": true, "carol": true, "dave": true},
		},
		"a follow and an unfollow": { // the event takes bob out, the import's document brings him back
			meanwhile: func(s *importertest.System) { s.Follow("bob", "alice"); s.Unfollow("bob", "alice"); s.Settle() },
			follows:   map[string]bool{"bob": true, "carol": true, "dave": true},
		},
		"an unfollow": {
			before:    func(s *importertest.System) { s.Follow("bob", "alice"); s.Settle() },
			meanwhile: func(s *importertest.System) { s.Unfollow("bob", "alice"); s.Settle() },
			follows:   map[string]bool{"bob": false, "carol": true, "dave": true},
		},
		"a follow by somebody else, and a post": {
			meanwhile: func(s *importertest.System) { s.Follow("erin", "alice"); s.Posts("alice", 3); s.Settle() },
			follows:   map[string]bool{"bob": true, "carol": true, "dave": true, "erin": true},
		},
		"the account's profile is written anew": {
			before: func(s *importertest.System) { s.Follow("bob", "alice"); s.Settle() },
			meanwhile: func(s *importertest.System) {
				s.Profile("alice", map[string]any{"name": "Alice"})
				s.Follow("erin", "alice")
				s.Settle()
			},
			follows: map[string]bool{"bob": true, "carol": true, "dave": true, "erin": true},
		},
	} {
		for _, posts := range []int{0, 2} {
			t.Run(fmt.Sprintf("%s, %d posts", name, posts), func(t *testing.T) {
				t.Parallel()
				s := importertest.New(t, config.Functions{Capacity: 2})
				s.Register()
				s.Posts("alice", posts)
				if test.before != nil {
					test.before(s)
				}
				s.Settle()
				s.Direct("bob alice\ncarol alice\ndave alice\n", 3, importer.Options{}, importertest.OnCommit(1, importertest.OfFollowers, func() { test.meanwhile(s) }))
				s.Settle()
				n := 0
				for follower, want := range test.follows {
					if got := s.Exists("users/alice/followers/" + follower); got != want {
						t.Errorf("%s follows: %v, want %v", follower, got, want)
					}
					if want {
						n++
					}
				}
				s.WantVerified(n)
			})
		}
	}
}

// An unfollow whose handler died half-way, and an import of the same follow.
func TestDirectFinishesAnUnfollowThatWasCutShort(t *testing.T) {
	t.Parallel()
	for _, posts := range []int{0, 2} {
		s := importertest.New(t, config.Functions{Capacity: 2})
		s.Posts("alice", posts)
		s.Direct("bob alice\ncarol alice\n", 2, importer.Options{})
		s.Unfollow("bob", "alice")
		d := faults.NewDeath(1) // the members transaction
		if err := s.Instance(d.Interceptor()).Graph.Follow(t.Context(), "alice", "bob"); err == nil {
			t.Fatal("the unfollow was not cut short")
		}
		edge, err := s.Client.Doc("users/bob/following/alice").Get(t.Context())
		if err != nil || edge.Data()["left"] == nil {
			t.Fatalf("the edge is %v, %v; want it to name what bob has left", edge.Data(), err)
		}
		s.Direct("bob alice\n", 1, importer.Options{})
		s.WantVerified(2)
	}
}
