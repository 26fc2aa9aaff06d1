package emulator_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/internal/wire"
)

// A life of two writes: a transaction, which has three calls, and a plain one.
func TestDeath(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		death  *faults.Death
		n      [2]int64 // the numbers in the documents that were written
		writes int
		died   bool
	}{
		{"at its first write", faults.NewDeath(1), [2]int64{1, 0}, 1, true},
		{"at its second write", faults.NewDeath(2), [2]int64{1, 1}, 2, true},
		{"later", faults.NewDeath(3), [2]int64{1, 1}, 2, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := test.death
			project := projectOf(t)
			c := openProject(t, project, shared(t).FirestoreHost(), d.Interceptor())
			life := func() error {
				err := c.RunTransaction(t.Context(), func(_ context.Context, tx *firestore.Transaction) error {
					if _, err := number(tx.Get(c.Doc("docs/d0"))); err != nil {
						return err
					}
					return tx.Set(c.Doc("docs/d0"), map[string]any{"n": 1})
				})
				if err == nil {
					_, err = c.Doc("docs/d1").Set(t.Context(), map[string]any{"n": 1})
				}
				return err
			}
			if err := life(); (status.Code(err) == codes.Unknown) != test.died {
				t.Errorf("the life ended with %v", err)
			}
			if d.Writes() != test.writes || d.Died() != test.died {
				t.Errorf("%d writes, died: %v; want %d, %v", d.Writes(), d.Died(), test.writes, test.died)
			}
			if test.died {
				if _, err := c.Doc("docs/d0").Get(t.Context()); status.Code(err) != codes.Unknown {
					t.Errorf("the dead read a document: %v", err)
				}
			}
			later, err := wire.Open(t.Context(), project, shared(t).FirestoreHost())
			if err != nil {
				t.Fatal(err)
			}
			defer later.Close()
			for i, want := range test.n {
				if n, err := number(later.Doc([]string{"docs/d0", "docs/d1"}[i]).Get(t.Context())); err != nil || n != want {
					t.Errorf("document d%d has %d, %v; want %d", i, n, err, want)
				}
			}
		})
	}
}

func TestFailedRead(t *testing.T) {
	t.Parallel()
	f := faults.NewFailedRead(2)
	c := open(t, f.Interceptor())
	for n, want := range []codes.Code{codes.NotFound, codes.Unknown, codes.NotFound} {
		if f.Failed() != (n > 1) {
			t.Errorf("before read %d it says %v", n+1, f.Failed())
		}
		if _, err := c.Doc("docs/none").Get(t.Context()); status.Code(err) != want {
			t.Errorf("read %d: %v, want %v", n+1, err, want)
		}
	}
	if _, err := c.Doc("docs/d").Set(t.Context(), map[string]any{"n": 1}); err != nil {
		t.Error(err)
	}
}

// The jobs of an engine are listed at one place, and one of them is read at another.
func TestPlaces(t *testing.T) {
	t.Parallel()
	var places faults.Places
	for _, want := range []string{"List:", "Get:", ""} {
		i, failed := places.Process()
		c := open(t, i)
		if _, err := c.Doc("docs/none").Get(t.Context()); status.Code(err) != codes.NotFound {
			t.Errorf("the test reads a document: %v", err)
		}
		engine := chunker.New(c, chunker.Options{})
		for try := range 2 { // each has one failure, at its first read from there
			_, listed := engine.Unfinished(t.Context(), 1)
			_, got := engine.Get(t.Context(), "none")
			if failed := status.Code(listed) == codes.Unknown; failed != (want == "List:" && try == 0) {
				t.Errorf("the process that fails at %q lists jobs: %v", want, listed)
			}
			if failed := !errors.Is(got, chunker.ErrNotFound); failed != (want == "Get:" && try == 0) {
				t.Errorf("the process that fails at %q reads a job: %v", want, got)
			}
		}
		if place := failed(); !strings.Contains(place, want) || (place == "") != (want == "") {
			t.Errorf("it failed at %q, want %q", place, want)
		}
	}
}
