//go:build long

package chaos

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/relationindex/testkit/clients"
	"example.com/relationindex/testkit/oracle"
)

// When the operations of a run have ended, readers go away, hide and return, whatever the seed.
func TestReadersActAtRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := clients.Workload{Seed: rapid.Uint64().Draw(t, "seed"), Ops: clients.IngredientsFrom, Users: 24, Posts: 8, Decides: true, Comments: true, Renames: true, Blocks: true}
		ops := w.Operations()
		if lacks := w.Lacking(ops); len(lacks) > 0 {
			t.Errorf("none of %q", lacks)
		}
		h, p, at := &oracle.History{}, clients.Present{}, day(1)
		for n := range w.Users {
			h.Write("users/"+clients.UserID(n), at, map[string]any{"name": "somebody"})
			p["users/"+clients.UserID(n)] = map[string]any{"name": "somebody"}
		}
		for _, op := range ops {
			at = at.Add(time.Second)
			p.Apply(op, at)
			if path := op.Document(); p[path] == nil {
				h.Delete(path, at)
			} else {
				h.Write(path, at, p[path])
			}
		}
		h.End(at, p)
		away, edits, back := atRest(oracle.New(h, oracle.Config{All: true, Settings: true, Idle: idleAfter}, at), h, w)
		if len(away) == 0 || len(back) == 0 {
			t.Errorf("at rest %d operations, %d edits, then %d", len(away), len(edits), len(back))
		}
	})
}

// Applied side by side but after their predecessors, operations on one
// document keep their order, and an account is deleted after all that names it.
func TestPredecessors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ops := clients.Workload{
			Seed: rapid.Uint64().Draw(t, "seed"), Ops: rapid.IntRange(1, 800).Draw(t, "ops"), Users: rapid.IntRange(2, 60).Draw(t, "users"), Posts: 8,
			Comments: true, Tallies: rapid.Bool().Draw(t, "tallies"),
		}.Operations()
		before := predecessors(ops)
		// after[n] are all that n comes after, directly or not.
		after := make([]map[int]bool, len(ops))
		for n := range ops {
			after[n] = map[int]bool{}
			for _, p := range before[n] {
				if p >= n {
					t.Fatalf("operation %d waits for %d", n, p)
				}
				after[n][p] = true
				for q := range after[p] {
					after[n][q] = true
				}
			}
		}
		for n, op := range ops {
			for p := range n {
				same := op.Subject() == ops[p].Subject()
				for _, u := range ops[p].Accounts() {
					same = same || op.Kind == clients.DeleteAccount && u == op.User
				}
				if same && !after[n][p] {
					t.Fatalf("operation %d (%v) does not wait for %d (%v)", n, op, p, ops[p])
				}
			}
		}
	})
}
