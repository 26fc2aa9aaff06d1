//go:build long

package files_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/cmd/relationindex/internal/files"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// The events of an import find nothing to do, whenever triggers come to be.
func TestTriggersFindNothingToDo(t *testing.T) {
	t.Parallel()
	const rows = 200
	every := func(*pb.CommitRequest) bool { return true }
	for name, test := range map[string]struct {
		commit int64 // of those that match: triggers are registered just before it; 0: before the import
		match  func(*pb.CommitRequest) bool
	}{
		"registered before":                              {},
		"registered at the first write":                  {commit: 1, match: every},
		"registered among members transactions":          {commit: 20, match: every},
		"registered before the first follower document":  {commit: 1, match: ofFollowers},
		"registered between two authors' last documents": {commit: 30, match: ofFollowers},
	} {
		for _, lived := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, authors lived before: %v", name, lived), func(t *testing.T) {
				t.Parallel()
				s := open(t, schema.Config{NoOwnPosts: true, Capacity: 3, InlineLimit: 4})
				text, follows := graph(7, 50, rows)
				if lived {
					s.posts("a0", 3)
					s.posts("a1", 6) // more than goes inline
					s.posts("a45", 1)
					some, _ := graph(7, 50, rows/3) // the first rows of text
					s.direct(some, rows/3, files.ImportOptions{})
				}
				if test.commit == 0 {
					s.Register()
					if lived { // and triggers made some of it
						s.Follow("someone", "a0")
						s.Follow("someone", "a2")
						s.posts("a2", 2)
						s.Settle()
						follows += 2
					}
				}
				before := written(s)
				s.direct(text, rows, files.ImportOptions{}, onCommit(test.commit, test.match, s.Register))
				s.Settle()
				used := s.Meter.Counts()
				if wrote := written(s) - before; wrote > 0 {
					t.Errorf("the functions wrote or deleted %d documents", wrote)
				}
				if used.Reads == 0 {
					t.Error("the functions read nothing: no trigger was called")
				}
				s.wantVerified(follows)
			})
		}
	}
}

// Writes of clients during an import are applied, and the database is correct in the end.
func TestClientsMeanwhile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, meanwhile func(s *app)    // meanwhile: before the follower documents are written
		follows           map[string]bool // of alice
	}{
		"a follow": {
			meanwhile: func(s *app) { s.Follow("bob", "alice"); s.Settle() },
			follows:   map[string]bool{"bob": true, "carol": true, "dave": true},
		},
		"a follow and an unfollow": { // the event takes bob out, the import's document brings him back
			meanwhile: func(s *app) { s.Follow("bob", "alice"); s.Unfollow("bob", "alice"); s.Settle() },
			follows:   map[string]bool{"bob": true, "carol": true, "dave": true},
		},
		"an unfollow": {
			before:    func(s *app) { s.Follow("bob", "alice"); s.Settle() },
			meanwhile: func(s *app) { s.Unfollow("bob", "alice"); s.Settle() },
			follows:   map[string]bool{"bob": false, "carol": true, "dave": true},
		},
		"a follow by somebody else, and a post": {
			meanwhile: func(s *app) { s.Follow("erin", "alice"); s.posts("alice", 3); s.Settle() },
			follows:   map[string]bool{"bob": true, "carol": true, "dave": true, "erin": true},
		},
		"the account's profile is written anew": {
			before: func(s *app) { s.Follow("bob", "alice"); s.Settle() },
			meanwhile: func(s *app) {
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
				s := open(t, schema.Config{NoOwnPosts: true, Capacity: 2})
				s.Register()
				s.posts("alice", posts)
				if test.before != nil {
					test.before(s)
				}
				s.Settle()
				s.direct("bob alice\ncarol alice\ndave alice\n", 3, files.ImportOptions{}, onCommit(1, ofFollowers, func() { test.meanwhile(s) }))
				s.Settle()
				n := 0
				for follower, want := range test.follows {
					if got := s.Follows(follower, "alice"); got != want {
						t.Errorf("%s follows: %v, want %v", follower, got, want)
					}
					if want {
						n++
					}
				}
				s.wantVerified(n)
			})
		}
	}
}

// An unfollow whose handler died half-way, and an import of the same follow.
func TestDirectFinishesInterruptedUnfollow(t *testing.T) {
	t.Parallel()
	for _, posts := range []int{0, 2} {
		s := open(t, schema.Config{NoOwnPosts: true, Capacity: 2})
		s.posts("alice", posts)
		s.direct("bob alice\ncarol alice\n", 2, files.ImportOptions{})
		s.Unfollow("bob", "alice")
		d := faults.NewDeath(1) // the members transaction
		if err := s.Instance(d.Interceptor()).Graph.Follow(t.Context(), "alice", "bob"); err == nil {
			t.Fatal("the unfollow was not cut short")
		}
		edge, err := s.Client.Doc("users/bob/following/alice").Get(t.Context())
		if err != nil || edge.Data()["left"] == nil {
			t.Fatalf("the edge is %v, %v; want it to name what bob has left", edge.Data(), err)
		}
		s.direct("bob alice\n", 1, files.ImportOptions{})
		s.wantVerified(2)
	}
}

// written is how many documents the functions have written or deleted.
func written(s *app) int64 {
	if s.System == nil {
		return 0
	}
	used := s.Meter.Counts()
	return used.Writes + used.Deletes
}

// onCommit calls do before the n-th commit that match accepts; 0: never.
func onCommit(n int64, match func(*pb.CommitRequest) bool, do func()) wire.Interceptor {
	var commits atomic.Int64
	return wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if commit, ok := req.(*pb.CommitRequest); ok && n > 0 && match(commit) && commits.Add(1) == n {
			do()
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}}
}

// ofFollowers matches the commit that writes follower documents.
func ofFollowers(commit *pb.CommitRequest) bool {
	return len(commit.GetWrites()) > 0 && strings.Contains(commit.GetWrites()[0].GetUpdate().GetName(), "/followers/")
}
