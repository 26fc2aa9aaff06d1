package faults_test

import (
	"context"
	"testing"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
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
			c := open(t, d.Interceptor())
			life := func() error {
				err := c.RunTransaction(t.Context(), func(_ context.Context, tx *firestore.Transaction) error {
					if _, err := testkit.Number(tx.Get(c.Doc("docs/d0"))); err != nil {
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
			later, err := wire.Open(t.Context(), projectOf(c), host(t))
			if err != nil {
				t.Fatal(err)
			}
			defer later.Close()
			for i, want := range test.n {
				if n, err := testkit.Number(later.Doc([]string{"docs/d0", "docs/d1"}[i]).Get(t.Context())); err != nil || n != want {
					t.Errorf("document d%d has %d, %v; want %d", i, n, err, want)
				}
			}
		})
	}
}
