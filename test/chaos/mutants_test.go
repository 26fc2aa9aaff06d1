package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/relationindex/internal/devhost/faults"
)

// edit replaces a text that is in a file of the module exactly once.
type edit struct{ file, old, new string }

// A comparison that finds nothing proves nothing: so it has to find each of these
// mutants of the production code, which show in any order of events.
var mutants = map[string]edit{
	"an unfollow stays in relations":     {"relations/sync.go", "firestore.ArrayRemove(store.Values(remove)...)", `firestore.ArrayRemove("nobody")`},
	"an edit stays in the post":          {"relations/plan/plan.go", "if !schema.SameFields(r.Fields, post.Fields) {", "if post == nil && schema.SameFields(nil, nil) {"},
	"a post stays with its audience":     {"relations/plan/relation.go", "return post.Audience != \"\" && r.Audience == post.Audience", "return post.Audience != \"\""},
	"a follow brings nothing of a group": {"posts/audience.go", "if schema.IsGroup(audience) {", "if schema.IsGroup(audience) && filter == nil {"},
	"a hidden post reaches some":         {"schema/audience.go", "if fields[FieldHidden] == true {\n\t\treturn nil, nil", "if fields[FieldHidden] == nil && fields[FieldTo] == 0 {\n\t\treturn nil, nil"},
	"a failed event is acknowledged":     {"functions/http.go", "if err := handle(r.Context(), *e); err != nil {", "if err := handle(r.Context(), *e); err != nil && r.Host == \"\" {"},
}

func TestMutantsAreFound(t *testing.T) {
	t.Parallel()
	for name, m := range mutants {
		t.Run(name, func(t *testing.T) {
			parallel(t)
			r := runOnce(t, Options{
				Workload: Workload{Seed: 1, Ops: 200, Users: 24, Posts: 8},
				Command:  build(t, m),
				Faults:   faults.Plan{Rate: 0.05, Seed: 1},
				Halfway:  true,
			})
			removeLogs(t, r)
			if r.Differences == 0 {
				t.Error("no difference is found")
			} else {
				t.Logf("%d differences, such as: %s", r.Differences, r.Shown[0])
			}
		})
	}
}

// Nor does one of timelines: it has to find what breaks what readers decide.
func TestMutantsOfTimelinesAreFound(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]struct {
		form  Form
		want  string // part of a difference
		edits []edit
	}{
		"an edit takes the mark": {Items, "has the mark false, want true", []edit{
			{"timelines/layout/entry.go", "return []string{fieldPost, fieldAuthor, fieldAudience, FieldAt, fieldKind, fieldCopies}", "return []string{fieldPost, fieldAuthor, fieldAudience, FieldAt, fieldKind, fieldCopies, fieldMark}"},
		}},
		"a closed bucket loses its marks": {Buckets, "has the mark false, want true", []edit{
			{"timelines/layout/document.go", "all[post] = e.data()", "e.Hidden = false\n\t\tall[post] = e.data()"},
		}},
		"a rebuild does not read what is hidden": {Buckets, "has the mark false, want true", []edit{
			{"timelines/bring.go", "readers.HiddenOf(tx, x.db, reader, posts.IDs(some))", "readers.HiddenOf(tx, x.db, reader, nil)"},
		}},
		"an edit sets at": {Items, "stood at", []edit{
			{"timelines/post.go", "now.At = max(now.At, e.At)", "now.At = max(now.At, 0)"},
		}},
		"a comment sets at": {Items, "stood at", []edit{
			{"timelines/layout/items.go", "doc.Entries[snap.Ref.ID].At >= at", "at == 0"},
			{"timelines/layout/items.go", "Value: firestore.FieldTransformMaximum(at)", "Value: at"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			parallel(t)
			r := runOnce(t, Options{
				Workload: Workload{Seed: 1, Ops: 200, Users: 24, Posts: 8},
				Timeline: m.form,
				Command:  build(t, m.edits...),
				Halfway:  true,
			})
			removeLogs(t, r)
			if !slices.ContainsFunc(r.Shown, func(s string) bool { return strings.Contains(s, m.want) }) {
				t.Errorf("%d differences, none of %q: %q", r.Differences, m.want, r.Shown)
			} else {
				t.Logf("%d differences, such as: %s", r.Differences, r.Shown[0])
			}
		})
	}
}

// The comparison reads pages with the code of Feed: so the mutant is in the whole program.
func TestAMutantOfFeedIsFound(t *testing.T) {
	parallel(t)
	program := build(t, edit{"feed/horizon.go", "if n >= int64(least) {", "if n < 0 {"})[0]
	run := exec.CommandContext(t.Context(), program, "-seeds", "1", "-seed", "1", "-ops", "200", "-users", "24", "-posts", "8",
		"-horizon", "2", "-workers", "1", "-kill-every", "0", "-stalls", "0")
	out, err := run.CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("pages of user-")) {
		t.Errorf("no page differs: %v\n%s", err, out)
	}
}

// What only shows when two processes meet is found by the test that makes them
// meet, every time: it has to fail with the mutant.
func TestMutantsThatNeedARaceAreFound(t *testing.T) {
	t.Parallel()
	races := map[string]struct {
		pkg, test string
		edits     []edit
	}{
		"sync without its precondition": {"./functions", "TestRaceSyncAndSync", []edit{{
			"relations/sync.go", "r.Ref.Update(ctx, updates, firestore.LastUpdateTime(r.Updated))", "r.Ref.Update(ctx, updates)",
		}}},
		"fanout without its transaction": {"./functions", "TestRaceFanoutAndMembers", []edit{
			{
				"relations/copy.go",
				"err = x.db.Client.RunTransaction(kept.WithoutArrays(ctx), func(ctx context.Context, tx *firestore.Transaction) error {",
				"err = func() error {\n\t\tctx, tx := kept.WithoutArrays(ctx), (*firestore.Transaction)(nil)",
			},
			{"relations/copy.go", "snaps, err := tx.GetAll(refs)", "snaps, err := x.db.Client.GetAll(ctx, refs)"},
			{
				"relations/copy.go",
				"if err := tx.Delete(x.db.Relation(state.ID, i)); err != nil {",
				"if _, err := x.db.Relation(state.ID, i).Delete(ctx); err != nil {",
			},
			{
				"relations/copy.go",
				"if err := tx.Set(x.db.Relation(state.ID, index.ID), plan.Data(state, index)); err != nil {",
				"if _, err := x.db.Relation(state.ID, index.ID).Set(ctx, plan.Data(state, index)); err != nil {",
			},
			{"relations/copy.go", "\t\treturn nil\n\t})\n\tif err != nil {\n\t\treturn n, err", "\t\treturn nil\n\t}()\n\tif err != nil {\n\t\treturn n, err"},
		}},
		"a copy without the decision in its transaction": {"./functions", "TestRaceEvictionAndBackfill", []edit{{
			"relations/copy.go", "horizon > 0 && (indexes[0] != schema.FirstIndex || next == \"\") {", "horizon < 0 && next == \"\" {",
		}}},
		"an eviction without the count in its transaction": {"./functions", "TestRaceEvictionAndDeletion", []edit{{
			"relations/evict.go", "if err == nil && !enough {", "if err == nil && !enough && horizon < 0 {",
		}}},
		"an eviction that does not hear of removals": {"./functions", "TestRaceEvictionAndDeletion", []edit{{
			"relations/evict.go", "schema.HorizonDocument(x.db.Client), x.db.Removal(audience)}", "schema.HorizonDocument(x.db.Client)}",
		}}},
		"a deletion without its heirs": {"./functions", "TestRaceEvictionAndDeletion", []edit{{
			"relations/fill.go", "if err == nil && len(missing) > 0 {\n\t\terr = &heirs", "if err == nil && len(missing) < 0 {\n\t\terr = &heirs",
		}}},
		"a late page that looks into no closed bucket": {"./timelines", "TestRaceLatePageAndClosedBuckets", []edit{{
			"timelines/layout/plan.go", "if b.from.none() || placeOf(e).compare(b.from) > 0 {", "if b.from.none() || e.At != 0 {",
		}}},
		"open without its precondition": {"./timelines", "TestRaceTwoFanOuts", []edit{{
			"timelines/layout/buckets.go", "updates, firestore.LastUpdateTime(b.open.Updated))", "updates)",
		}}},
		"a fan-out without the version in its transaction": {"./timelines", "TestRaceFanOutAndUnfollow", []edit{{
			"timelines/fanout.go", "index.Version != part.version", "index.Version < 0",
		}}},
		"a removal without the edge in its transaction": {"./timelines", "TestRaceRemovalAndFollow", []edit{{
			"timelines/follow.go", "err != nil || follows {", "err != nil || follows && reader == \"\" {",
		}}},
		"checkpoint without the lease check": {"./chunker", "TestAStepThatDiesIsTakenOver", []edit{{
			"chunker/lease.go",
			"if stored == nil || stored.State != Running || stored.Lease == nil || stored.Lease.Holder != holder {",
			"if stored == nil {",
		}}},
	}
	var tests, packages []string
	for _, m := range races {
		tests, packages = append(tests, m.test), append(packages, m.pkg)
	}
	run := append([]string{"test", "-vet=off", "-count=1", "-run", "^(" + strings.Join(tests, "|") + ")$"}, packages...)
	if out, err := goCommand(t, run...).CombinedOutput(); err != nil {
		t.Fatalf("%v fail without mutants: %v\n%s", tests, err, out)
	}
	for name, m := range races {
		t.Run(name, func(t *testing.T) {
			parallel(t)
			out, err := goCommand(t, "test", "-vet=off", "-overlay", overlay(t, m.edits...), "-count=1", "-run", "^"+m.test+"$", m.pkg).CombinedOutput()
			if err == nil || !bytes.Contains(out, []byte("--- FAIL: "+m.test)) {
				t.Errorf("%s does not fail: %v\n%s", m.test, err, out)
			}
		})
	}
}

// goCommand is the go command at the root of the module.
func goCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = root
	return cmd
}

const root = "../.."

// build builds the program of the functions with a mutant in it, and returns the
// command that starts it. The code itself stays as it is.
func build(t *testing.T, m ...edit) []string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "functions")
	if out, err := goCommand(t, "build", "-ldflags=-s -w", "-o", program, "-overlay", overlay(t, m...), "./bench/chaos").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return []string{program, "functions"}
}

// overlay writes edited copies of files, and what tells the go command to take
// them for the files.
func overlay(t *testing.T, edits ...edit) (path string) {
	t.Helper()
	dir, texts, replace := t.TempDir(), map[string][]byte{}, map[string]string{}
	for i, e := range edits {
		file, err := filepath.Abs(filepath.Join(root, e.file))
		if err != nil {
			t.Fatal(err)
		}
		if texts[file] == nil {
			if texts[file], err = os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
			replace[file] = filepath.Join(dir, fmt.Sprintf("%d.go", i))
		}
		if n := bytes.Count(texts[file], []byte(e.old)); n != 1 {
			t.Fatalf("%s has this %d times, want once:\n%s", e.file, n, e.old)
		}
		texts[file] = bytes.Replace(texts[file], []byte(e.old), []byte(e.new), 1)
	}
	path = filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string][]byte{path: list}
	for file, text := range texts {
		contents[replace[file]] = text
	}
	for name, content := range contents {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}
