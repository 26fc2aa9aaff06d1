//go:build long

package chaos

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/relationindex/emulator/faults"
)

// mutant is a small fault of the production code, and what has to find it: a run of chaos, a call of its program, or a test.
type mutant struct {
	edits     []edit
	run       Options  // of chaos, with these operations; nothing else finds the mutant unless program or test is set
	program   []string // arguments of bench/chaos
	want      string   // part of a difference, or of what the program prints
	pkg, test string   // each level of the test's name
}

// A comparison that finds nothing proves nothing, nor does a race that always ends well. So chaos, the table of
// guarantees in test/delivery, and some tests have to find these mutants. See [edit].
var mutants = map[string]mutant{
	"an unfollow stays in relations": {
		run: usual, want: "the reader has not been among its audience",
		edits: []edit{{
			"relations/sync.go", "firestore.ArrayRemove(store.Values(remove)...)",
			"firestore.ArrayRemove(store.Values(either(MUTANT, remove[:0], remove))...)",
		}},
	},
	"a hidden post reaches readers": {
		run: usual, want: "nobody may read it",
		edits: []edit{{
			"schema/audience.go", "if fields[FieldHidden] == true {\n\t\treturn nil, nil",
			"if fields[FieldHidden] == true && !MUTANT {\n\t\treturn nil, nil",
		}},
	},
	"a failed event is acknowledged": {
		run:   usual,
		edits: []edit{{"functions/http.go", "if err := handle(r.Context(), *e); err != nil {", "if err := handle(r.Context(), *e); err != nil && !MUTANT {"}},
	},
	"an own act notifies": {
		run: Options{Workload: Workload{Ops: 400, Users: 24, Posts: 8, Tallies: true, Blocks: true}}, want: "notification",
		edits: []edit{{"tallies/actors.go", "seen := map[string]bool{r.id: true}", "seen := map[string]bool{r.id: !MUTANT}"}},
	},
	"an edit takes the mark": {
		run: Options{Workload: Workload{Ops: 200, Users: 24, Posts: 8}, Timeline: Items, Halfway: true}, want: "has the mark false, want true",
		edits: []edit{{
			"timelines/layout/entry.go", "return []string{fieldPost, fieldAuthor, fieldAudience, FieldAt, fieldKind, fieldCopies}",
			"return append([]string{fieldPost, fieldAuthor, fieldAudience, FieldAt, fieldKind, fieldCopies}, either(MUTANT, []string{fieldMark}, nil)...)",
		}},
	},
	// The comparison reads pages with the code of Feed: so the mutant is in the whole program.
	"nothing is beyond the horizon": {
		program: strings.Fields("-seeds 1 -seed 1 -ops 200 -users 24 -posts 8 -horizon 24h -workers 1 -kill-every 0 -stalls 0"),
		want:    "pages of user-",
		edits:   []edit{{"feed/horizon.go", "if horizon == 0 {", "if horizon == 0 || MUTANT {"}},
	},

	// These show only when two processes meet.
	"sync without its precondition": {
		pkg: "test/delivery", test: "TestRelationsKeepPromises/a_follow_beside_another_that_is_late_for_its_unfollow",
		edits: []edit{{
			"relations/sync.go", "r.Ref.Update(ctx, updates, firestore.LastUpdateTime(r.Updated))",
			"r.Ref.Update(ctx, updates, either(MUTANT, nil, []firestore.Precondition{firestore.LastUpdateTime(r.Updated)})...)",
		}},
	},
	"open without its precondition": {
		pkg: "test/delivery", test: "TestTimelinesKeepPromises/buckets_of_50/a_post_that_is_late_for_another",
		edits: []edit{{
			"timelines/layout/buckets.go", "updates, firestore.LastUpdateTime(b.open.Updated))",
			"updates, either(MUTANT, nil, []firestore.Precondition{firestore.LastUpdateTime(b.open.Updated)})...)",
		}},
	},
	"a fan-out without the version in its transaction": {
		pkg: "test/delivery", test: "TestTimelinesKeepPromises/days/a_post_that_is_late_for_an_unfollow",
		edits: []edit{{"timelines/fanout.go", "index.Version != part.version", "index.Version != part.version && !MUTANT"}},
	},
	"a late count over a newer one": {
		pkg: "social", test: "TestLateCountDoesNotOverwriteNewerCount",
		edits: []edit{
			{"tallies/reconcile.go", "}}, asRead)", "}}, either(MUTANT, nil, []firestore.Precondition{asRead})...)"},
			{"tallies/reconcile.go", "now = written\n", "if MUTANT {\n\t\t\treturn true, nil\n\t\t}\n\t\tnow = written\n"},
		},
	},
	"a refresh leaves expireAt": {
		pkg: "audit", test: "TestEditedPostCrossesHorizonAndReturns",
		edits: []edit{{"relations/plan/relation.go", "\t\tset(schema.FieldExpireAt, at)", "\t\tset(schema.FieldExpireAt, either(MUTANT, r.ExpireAt, at))"}},
	},
	"hand-over without the lease check": {
		pkg: "chunker", test: "TestDeadStepIsTakenOver",
		edits: []edit{{
			"chunker/lease.go",
			"if stored == nil || stored.State != Running || stored.Lease == nil || stored.Lease.Holder != holder {",
			"if stored == nil || !MUTANT && (stored.State != Running || stored.Lease == nil || stored.Lease.Holder != holder) {",
		}},
	},
}

// usual is a run over relations.
var usual = Options{Workload: Workload{Ops: 200, Users: 24, Posts: 8}, Faults: faults.Plan{Rate: 0.05, Seed: 1}, Halfway: true}

// mostSeeds is how many runs a mutant has. It depends on chance what meets in a run.
const mostSeeds = 3

func TestMutantsAreFound(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{} // patterns, by their packages
	for name, m := range mutants {
		if m.test != "" {
			tests[m.pkg] = append(tests[m.pkg], pattern(m.test))
		}
		t.Run(name, func(t *testing.T) {
			parallel(t)
			m.find(t, name)
		})
	}
	for pkg, patterns := range tests {
		t.Run(pkg+" without mutants", func(t *testing.T) {
			parallel(t)
			if out, err := testOf(t, "", pkg, strings.Join(patterns, "|")); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func (m mutant) find(t *testing.T, name string) {
	switch {
	case m.test != "":
		out, err := testOf(t, name, m.pkg, pattern(m.test))
		if err == nil || !bytes.Contains(out, []byte("--- FAIL: "+m.test)) {
			t.Errorf("%s does not fail: %v\n%s", m.test, err, out)
		}
	case m.program != nil:
		out, err := command(t, with(t, name, "chaos", m.program...)).CombinedOutput()
		if err == nil || !bytes.Contains(out, []byte(m.want)) {
			t.Errorf("the program does not print %q: %v\n%s", m.want, err, out)
		}
	default:
		for seed := range uint64(mostSeeds) {
			m.run.Workload.Seed, m.run.Command = 1+seed, with(t, name, "chaos", "functions")
			r := runOnce(t, m.run)
			removeLogs(t, r)
			if slices.ContainsFunc(r.Shown, func(difference string) bool { return strings.Contains(difference, m.want) }) {
				t.Logf("seed %d: %d differences, such as: %s", 1+seed, r.Differences, r.Shown[0])
				return
			}
			t.Logf("seed %d: %d differences: %q", 1+seed, r.Differences, r.Shown)
		}
		t.Errorf("%d seeds found no difference with %q", mostSeeds, m.want)
	}
}

// pattern matches a test by each level of its name.
func pattern(test string) string { return "^" + strings.ReplaceAll(test, "/", "$/^") + "$" }

// testOf runs tests of a package, in its folder, with a mutant.
func testOf(t *testing.T, name, pkg, tests string) ([]byte, error) {
	t.Helper()
	run := command(t, with(t, name, path.Base(pkg)+".test", "-test.timeout=10m", "-test.run="+tests))
	run.Dir = filepath.Join(root, pkg)
	return run.CombinedOutput()
}
