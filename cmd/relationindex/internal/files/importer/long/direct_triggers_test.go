package importer_test

import (
	"fmt"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/cmd/relationindex/internal/files/importer"
	"example.com/relationindex/cmd/relationindex/internal/files/importer/importertest"
	"example.com/relationindex/internal/config"
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
		"registered before the first follower document":  {commit: 1, match: importertest.OfFollowers},
		"registered between two authors' last documents": {commit: 30, match: importertest.OfFollowers},
	} {
		for _, lived := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, authors lived before: %v", name, lived), func(t *testing.T) {
				t.Parallel()
				s := importertest.New(t, config.Functions{Capacity: 3, InlineLimit: 4})
				text, follows := importertest.Graph(7, 50, rows)
				if lived {
					s.Posts("a0", 3)
					s.Posts("a1", 6) // more than goes inline
					s.Posts("a45", 1)
					some, _ := importertest.Graph(7, 50, rows/3) // the first rows of text
					s.Direct(some, rows/3, importer.Options{})
				}
				if test.commit == 0 {
					s.Register()
					if lived { // and triggers made some of it
						s.Follow("someone", "a0")
						s.Follow("someone", "a2")
						s.Posts("a2", 2)
						s.Settle()
						follows += 2
					}
				}
				before := s.Written()
				s.Direct(text, rows, importer.Options{}, importertest.OnCommit(test.commit, test.match, s.Register))
				s.Settle()
				used := s.Meter.Counts()
				if wrote := s.Written() - before; wrote > 0 {
					t.Errorf("the functions wrote or deleted %d documents", wrote)
				}
				if used.Reads == 0 {
					t.Error("the functions read nothing: no trigger was called")
				}
				s.WantVerified(follows)
			})
		}
	}
}
