//go:build long

package chaos

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/relationindex/testkit/oracle"
)

// A run of a form has everything that readers decide, whatever the seed.
func TestEachRunHasReaderSettings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := Workload{Seed: rapid.Uint64().Draw(t, "seed"), Ops: ingredientsFrom, Users: 24, Posts: 8, Decides: true, Comments: true, Renames: true, Blocks: true}
		ops := w.Operations()
		kinds := map[Kind]int{}
		for _, op := range ops {
			kinds[op.Kind]++
		}
		for _, kind := range append(slices.Clone(readerKinds), Comment, Rename) {
			if kinds[kind] == 0 {
				t.Errorf("no %s", kind)
			}
		}
		d := newDatabase()
		for n := range w.Users {
			d.set("users/"+userID(n), profile(userID(n)))
		}
		for _, op := range ops {
			d.apply(op)
		}
		d.history.End(d.at, d.docs)
		away, edits, back := atRest(oracle.New(d.history, oracle.Config{All: true, Settings: true, Idle: idleAfter}, d.at), d.history, w)
		if len(away) == 0 || len(back) == 0 {
			t.Errorf("at rest %d operations, %d edits, then %d", len(away), len(edits), len(back))
		}
	})
}
