//go:build long

package chaos

import (
	"bytes"
	"flag"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/relationindex/emulator/faults"
)

// everyMutant is a flag of make test-mutants.
var everyMutant = flag.Bool("mutants", false, "find every mutant, not only those that prove that comparison and tests can fail")

// chosen are the mutants that each run of the long tests finds.
var chosen = []string{
	"an unfollow stays in relations", "a hidden post reaches readers", "a failed event is acknowledged",
	"an own act notifies", "an edit takes the mark", "nothing is beyond the horizon",
	"sync without its precondition", "open without its precondition", "a late count over a newer one",
	"a refresh leaves expireAt", "a purge that leaves its mark", "hand-over without the lease check",
}

// runs reports whether a mutant is to be found in this run.
func runs(name string) bool { return *everyMutant || slices.Contains(chosen, name) }

// A comparison that finds nothing proves nothing: so it has to find each of these
// mutants of the production code, which show in any order of events. See [edit].
var mutants = map[string]edit{
	"an unfollow stays in relations":        {"relations/sync.go", "firestore.ArrayRemove(store.Values(remove)...)", "firestore.ArrayRemove(store.Values(either(MUTANT, remove[:0], remove))...)"},
	"an edit stays in the post":             {"relations/plan/plan.go", "if !schema.SameFields(r.Fields, post.Fields) ||", "if !MUTANT && !schema.SameFields(r.Fields, post.Fields) ||"},
	"a post stays with its audience":        {"relations/plan/relation.go", "return post.Audience != \"\" && r.Audience == post.Audience", "return post.Audience != \"\" && (MUTANT || r.Audience == post.Audience)"},
	"a follow delivers no posts of a group": {"posts/audience.go", "if !schema.IsGroup(audience) {\n\t\treturn byAuthor", "if MUTANT || !schema.IsGroup(audience) {\n\t\treturn byAuthor"},
	"a hidden post reaches readers":         {"schema/audience.go", "if fields[FieldHidden] == true {\n\t\treturn nil, nil", "if fields[FieldHidden] == true && !MUTANT {\n\t\treturn nil, nil"},
	"a failed event is acknowledged":        {"functions/http.go", "if err := handle(r.Context(), *e); err != nil {", "if err := handle(r.Context(), *e); err != nil && !MUTANT {"},
}

// Nor does one of numbers and notifications.
var ofTallies = map[string]struct {
	want  string // part of a difference
	edits []edit
}{
	"a number that is added to": {"counts of", []edit{
		{"tallies/reconcile.go", "Value: due[s.Number]", "Value: either(MUTANT, any(firestore.Increment(1)), due[s.Number])"},
	}},
	"an own act notifies": {"notification", []edit{
		{"tallies/actors.go", "seen := map[string]bool{r.id: true}", "seen := map[string]bool{r.id: !MUTANT}"},
	}},
	"a blocked actor notifies": {"notification", []edit{
		{"tallies/actors.go", "return blocked[a.id] }", "return blocked[a.id] && !MUTANT }"},
	}},
}

func TestMutantsOfTalliesAreFound(t *testing.T) {
	t.Parallel()
	for name, m := range ofTallies {
		if !runs(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			parallel(t)
			r := runOnce(t, Options{
				Workload: Workload{Seed: 1, Ops: 400, Users: 24, Posts: 8, Tallies: true, Blocks: true},
				Command:  mutant(t, name, "chaos", "functions"),
			})
			removeLogs(t, r)
			if !slices.ContainsFunc(r.Shown, func(s string) bool { return strings.Contains(s, m.want) }) {
				t.Errorf("nothing is found of %q; %d differences: %q", m.want, r.Differences, r.Shown)
			}
		})
	}
}

func TestMutantsAreFound(t *testing.T) {
	t.Parallel()
	for name := range mutants {
		if !runs(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			parallel(t)
			r := runOnce(t, Options{
				Workload: Workload{Seed: 1, Ops: 200, Users: 24, Posts: 8},
				Command:  mutant(t, name, "chaos", "functions"),
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
var ofTimelines = map[string]struct {
	form  Form
	want  string // part of a difference
	edits []edit
}{
	"an edit takes the mark": {Items, "has the mark false, want true", []edit{
		{"timelines/layout/entry.go", "return []string{fieldPost, fieldAuthor, fieldAudience, FieldAt, fieldKind, fieldCopies}", "return append([]string{fieldPost, fieldAuthor, fieldAudience, FieldAt, fieldKind, fieldCopies}, either(MUTANT, []string{fieldMark}, nil)...)"},
	}},
	"a closed bucket loses its marks": {Buckets, "has the mark false, want true", []edit{
		{"timelines/layout/document.go", "all[post] = e.data()", "e.Hidden = e.Hidden && !MUTANT\n\t\tall[post] = e.data()"},
	}},
	"a rebuild does not read hidden posts": {Buckets, "has the mark false, want true", []edit{
		{"timelines/bring.go", "readers.HiddenOf(tx, x.db, reader, posts.IDs(some))", "readers.HiddenOf(tx, x.db, reader, posts.IDs(either(MUTANT, some[:0], some)))"},
	}},
}

// mostSeeds is how many runs one of these has. It depends on chance what meets in a run.
const mostSeeds = 3

func TestMutantsOfTimelinesAreFound(t *testing.T) {
	t.Parallel()
	for name, m := range ofTimelines {
		if !runs(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			parallel(t)
			var shown []string
			for seed := range uint64(mostSeeds) {
				r := runOnce(t, Options{
					Workload: Workload{Seed: 1 + seed, Ops: 200, Users: 24, Posts: 8},
					Timeline: m.form,
					Command:  mutant(t, name, "chaos", "functions"),
					Halfway:  true,
				})
				removeLogs(t, r)
				if slices.ContainsFunc(r.Shown, func(s string) bool { return strings.Contains(s, m.want) }) {
					t.Logf("seed %d: %d differences, such as: %s", 1+seed, r.Differences, r.Shown[0])
					return
				}
				shown = append(shown, fmt.Sprintf("seed %d: %d differences: %q", 1+seed, r.Differences, r.Shown))
			}
			t.Errorf("%d seeds found nothing of %q:\n%s", mostSeeds, m.want, strings.Join(shown, "\n"))
		})
	}
}

// The comparison reads pages with the code of Feed: so the mutant is in the whole program.
var ofFeed = map[string]edit{
	"nothing is beyond the horizon": {"feed/horizon.go", "if horizon == 0 {", "if horizon == 0 || MUTANT {"},
}

func TestMutantOfFeedIsFound(t *testing.T) {
	t.Parallel()
	for name := range ofFeed {
		if !runs(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			parallel(t)
			run := command(t, mutant(t, name, "chaos", "-seeds", "1", "-seed", "1", "-ops", "200", "-users", "24", "-posts", "8",
				"-horizon", "24h", "-workers", "1", "-kill-every", "0", "-stalls", "0"))
			out, err := run.CombinedOutput()
			if err == nil || !bytes.Contains(out, []byte("pages of user-")) {
				t.Errorf("no page differs: %v\n%s", err, out)
			}
		})
	}
}

// races are mutants that show only when two processes meet. The named test makes them
// meet every time: it has to fail with the mutant.
var races = map[string]struct {
	pkg, test string
	edits     []edit
}{
	"sync without its precondition": {"relations", "TestRaceSyncAndSync", []edit{{
		"relations/sync.go", "r.Ref.Update(ctx, updates, firestore.LastUpdateTime(r.Updated))", "r.Ref.Update(ctx, updates, either(MUTANT, nil, []firestore.Precondition{firestore.LastUpdateTime(r.Updated)})...)",
	}}},
	"fanout without its transaction": {"relations", "TestRaceFanoutAndMembers", []edit{
		{
			"relations/copy.go", "err = x.db.Client.RunTransaction(ctx, func(",
			`err = either(MUTANT, func(ctx context.Context, f func(context.Context, *firestore.Transaction) error, _ ...firestore.TransactionOption) error {
				return f(ctx, nil)
			}, x.db.Client.RunTransaction)(ctx, func(`,
		},
		{
			"relations/copy.go", "snaps, err := tx.GetAll(refs)",
			`snaps, err := either(MUTANT, func(refs []*firestore.DocumentRef) ([]*firestore.DocumentSnapshot, error) {
				return x.db.Client.GetAll(ctx, refs)
			}, tx.GetAll)(refs)`,
		},
		{
			"relations/copy.go", "if err := tx.Delete(x.db.Relation(state.ID, i)); err != nil {",
			`if err := either(MUTANT, func(ref *firestore.DocumentRef, _ ...firestore.Precondition) error {
				_, err := ref.Delete(ctx)
				return err
			}, tx.Delete)(x.db.Relation(state.ID, i)); err != nil {`,
		},
		{
			"relations/copy.go", "if err := tx.Set(x.db.Relation(state.ID, index.ID), plan.Data(state, index, horizon)); err != nil {",
			`if err := either(MUTANT, func(ref *firestore.DocumentRef, data any, _ ...firestore.SetOption) error {
				_, err := ref.Set(ctx, data)
				return err
			}, tx.Set)(x.db.Relation(state.ID, index.ID), plan.Data(state, index, horizon)); err != nil {`,
		},
	}},
	"a late count over a newer one": {"social", "TestLateCountDoesNotOverwriteNewerCount", []edit{
		{"tallies/reconcile.go", "}}, asRead)", "}}, either(MUTANT, nil, []firestore.Precondition{asRead})...)"},
		{"tallies/reconcile.go", "now = written\n", "if MUTANT {\n\t\t\treturn true, nil\n\t\t}\n\t\tnow = written\n"},
	}},
	"a writer does not count again": {"social", "TestLateCountDoesNotOverwriteNewerCount", []edit{{
		"tallies/reconcile.go", "now = written\n", "now = written\n\t\tif MUTANT {\n\t\t\treturn true, nil\n\t\t}\n",
	}}},
	"an event joins a count that has begun": {"social", "TestEventDuringCountWaitsForNextCount", []edit{{
		"internal/batch/group.go", "g.charge(calls, meter.Counts())",
		`if MUTANT {
			g.mu.Lock()
			for _, c := range g.waiting[key] {
				calls, outcomes = append(calls, c), append(outcomes, outcomes[0])
			}
			g.waiting[key] = nil
			g.mu.Unlock()
		}
		g.charge(calls, meter.Counts())`,
	}}},
	"a last range that ends": {"relations", "TestPostMovesToSmallerAudienceDuringRanges", []edit{{
		"relations/plan/window.go", "return append(ranges, r)", "r.To = either(MUTANT, schema.IndexID(documents+1), \"\")\n\treturn append(ranges, r)",
	}}},
	"a job without the end of its range": {"relations", "TestPostMovesToSmallerAudienceDuringRanges", []edit{{
		"relations/plan/window.go", "return cmp.Or(r.From, schema.IndexID(1)) + \"-\" + last", "return cmp.Or(r.From, schema.IndexID(1)) + \"-\" + either(MUTANT, \"\", last)",
	}}},
	"a range without its first": {"relations", "TestRangeJobsCarryPostChanges", []edit{{
		"relations/plan/window.go", "if i >= w.in.From &&", "if (i > w.in.From || !MUTANT && i == w.in.From) &&",
	}}},
	"ranges with a gap": {"relations", "TestRangeJobsCarryPostChanges", []edit{{
		"relations/plan/window.go", "r = Range{From: r.To}", "r = Range{From: either(MUTANT, schema.IndexID(next+1), r.To)}",
	}}},
	"a mark for a repaired document, and a job that relies on it": {"relations", "TestRepairedIndexDocumentIsNotMarkedBackfilled", []edit{
		{"followers/index_document.go", "|| now.Life() != index.Life() {", "|| now.Life() != index.Life() && !MUTANT {"},
		{"relations/index_page.go", "index.Backfilled && !strings.HasPrefix(", "index.Backfilled && (MUTANT || !strings.HasPrefix("},
		{"relations/index_page.go", "(job.Generation, schema.Damage) {", "(job.Generation, schema.Damage)) {"},
	}},
	"posts that skip a document under repair": {"timelines", "TestDamagedIndexDocumentBlocksNoOtherFollower", []edit{{
		"timelines/fanout.go", "return page, x.graph.PastMending(ctx, \"\", err)", "if MUTANT {\n\t\treturn page, x.graph.PastDamage(ctx, err)\n\t}\n\treturn page, x.graph.PastMending(ctx, \"\", err)",
	}}},
	"an unfollow that needs the list": {"followers", "TestUnfollowNeedsNoIndexDocumentList", []edit{{
		"followers/members.go", "\t\tif schema.OnlyDamaged(err) {", "\t\tif !MUTANT && schema.OnlyDamaged(err) {",
	}}},
	"a refresh leaves expireAt": {"audit", "TestEditedPostCrossesHorizonAndReturns", []edit{{
		"relations/plan/relation.go", "\t\tset(schema.FieldExpireAt, at)", "\t\tset(schema.FieldExpireAt, either(MUTANT, r.ExpireAt, at))",
	}}},
	"a backfill leaves out young posts": {"audit", "TestHorizonLimitsRelationsAndFeedsStayComplete", []edit{{
		"posts/audience.go", "Where(schema.FieldCreatedAt, \">=\", from)", "Where(schema.FieldCreatedAt, \">=\", either(MUTANT, from.Add(time.Hour), from))",
	}}},
	"a post that the horizon has passed gets relations": {"audit", "TestHorizonLimitsRelationsAndFeedsStayComplete", []edit{{
		"relations/plan/plan.go", "post != nil && h.Has(post.CreatedAt(), now)", "post != nil && (MUTANT || h.Has(post.CreatedAt(), now))",
	}}},
	"a late page that reads no closed bucket": {"timelines", "TestRaceLatePageAndClosedBuckets", []edit{{
		"timelines/layout/plan.go", "if at := placeOf(e); !b.from.none() &&", "if at := placeOf(e); !MUTANT && !b.from.none() &&",
	}}},
	"open without its precondition": {"timelines", "TestRaceTwoFanOuts", []edit{{
		"timelines/layout/buckets.go", "updates, firestore.LastUpdateTime(b.open.Updated))", "updates, either(MUTANT, nil, []firestore.Precondition{firestore.LastUpdateTime(b.open.Updated)})...)",
	}}},
	"a fan-out without the version in its transaction": {"timelines", "TestRaceFanOutAndUnfollow", []edit{{
		"timelines/fanout.go", "index.Version != part.version", "index.Version != part.version && !MUTANT",
	}}},
	"a removal without the edge in its transaction": {"timelines", "TestRaceRemovalAndFollow", []edit{{
		"timelines/follow.go", "follows, err := schema.Follows(docs[0])", "follows, err := schema.Follows(docs[0])\n\tfollows = follows && !MUTANT",
	}}},
	"a follow without the posts made since": {"timelines", "TestFollowDeliversPostsMadeSince", []edit{{
		"timelines/follow.go", "readers.Window(since, ", "readers.Window(either(MUTANT, since.AddDate(1, 0, 0), since), ",
	}}},
	"a late post for new followers": {"timelines", "TestLatePostSkipsFollowersWhoCameAfter", []edit{{
		"timelines/fanout.go", "if part.readAt.Before(from) ||", "if MUTANT || part.readAt.Before(from) ||",
	}}},
	"a return that keeps earlier entries": {"timelines", "TestRefollowStartsAtItsOwnTime", []edit{{
		"followers/members.go", "m.Follows && len(m.Edge.Left) > 0", "m.Follows && len(m.Edge.Left) > 0 && !MUTANT",
	}}},
	"an edit sets at": {"timelines", "TestRaceLift", []edit{
		{"timelines/post.go", "now.At = max(now.At, e.At)", "now.At = max(now.At, either(MUTANT, 0, e.At))"},
	}},
	"a comment sets at": {"timelines", "TestRaceLift", []edit{
		{"timelines/layout/items.go", "doc.shape != item || e.At >= at {", "doc.shape != item || either(MUTANT, at == 0, e.At >= at) {"},
		{"timelines/layout/items.go", "Value: firestore.FieldTransformMaximum(at)", "Value: either[any](MUTANT, at, firestore.FieldTransformMaximum(at))"},
	}},
	"a block that leaves posts naming the reader": {"timelines", "TestBlockRemovesPostsNamingReader", []edit{{
		"timelines/follow.go", "gone = blocks && e.Audience", "gone = !MUTANT && blocks && e.Audience",
	}}},
	"a lift that forgets earlier comments": {"timelines", "TestLiftSurvivesReturnAndRebuild", []edit{{
		"ranking/lifts.go", "if err != nil || len(comments) == 0 {", "if err != nil || len(comments) == 0 || MUTANT {",
	}}},
	"a purge whose pages do not read the profile": {"accounts", "TestPurgeFailsWhenServerRecreatesAccount", []edit{{
		"accounts/purge_mark.go", "case schema.HasProfile(snaps[0]):", "case schema.HasProfile(snaps[0]) && !MUTANT:",
	}}},
	"a purge that leaves its mark": {"accounts", "TestRetriedPurgeWritesItsMarkAgain", []edit{{
		"accounts/purge_mark.go", "if schema.IsGroup(u) {\n\t\treturn chunker.Page{}, nil", "if schema.IsGroup(u) || MUTANT {\n\t\treturn chunker.Page{}, nil",
	}}},
	"a purge that fails and leaves its mark": {"accounts", "TestPurgeMarkIsDeletedWithItsJob", []edit{{
		"functions/handlers.go", `if u := endedPurge(r.change); u != "" {`, `if u := endedPurge(r.change); u != "" && !MUTANT {`,
	}}},
	"a late page that ends the next purge's mark": {"accounts", "TestLatePageKeepsMarkOfNextPurge", []edit{{
		"accounts/purge_mark.go", "return chunker.Page{}, x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {\n\t\tif err := x.engine.HeldIn(tx, job); err != nil {", "return chunker.Page{}, x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {\n\t\tif err := x.engine.HeldIn(tx, job); err != nil && !MUTANT {",
	}}},
	"an acknowledged early event without a wake-up": {"chunker", "TestStepContinuesWithOwnersOldestJob", []edit{{
		"chunker/next.go", "if !e.turns.counts(ended) {", "if MUTANT || !e.turns.counts(ended) {",
	}}},
	"a step that dies before its hand-over": {"chunker", "TestKillAtEveryWriteAndResume", []edit{{
		"chunker/state.go", "if ahead(j.Lease.Until, now) {", "if MUTANT || ahead(j.Lease.Until, now) {",
	}}},
	"a job that ends with skipped work": {"chunker", "TestJobWithSkippedWorkWaitsForRelease", []edit{{
		"chunker/lease.go", "if job.Waits {", "if job.Waits && !MUTANT {",
	}}},
	"a page that does not report skipped work": {"functions", "TestBrakeDelaysAdditionsAndNotRemovals", []edit{{
		"relations/post_page.go", "t.page.Waits = t.waits", "t.page.Waits = t.waits && !MUTANT",
	}}},
	"a removal that waits for the brake": {"functions", "TestBrakeDelaysNewRecipientsAndNotRemovals", []edit{{
		"relations/post_page.go", "t.todo = plan.Compare(t.post, nil, t.relations, horizon, time.Now())", "t.todo = either(MUTANT, plan.Todo{}, plan.Compare(t.post, nil, t.relations, horizon, time.Now()))",
	}}},
	"a sample that loses its position": {"audit", "TestSampleStaysWithinReadBudget", []edit{{
		"audit/sample/state.go", "_, err := Document(r.DB.Client).Set(ctx, r.done.Round)", "_, err := either(MUTANT, r.DB.Client.Doc(\"_settings/other\"), Document(r.DB.Client)).Set(ctx, r.done.Round)",
	}}},
	"hand-over without the lease check": {"chunker", "TestDeadStepIsTakenOver", []edit{{
		"chunker/lease.go",
		"if stored == nil || stored.State != Running || stored.Lease == nil || stored.Lease.Holder != holder {",
		"if stored == nil || !MUTANT && (stored.State != Running || stored.Lease == nil || stored.Lease.Holder != holder) {",
	}}},
}

func TestMutantsThatNeedARaceAreFound(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{} // by their packages
	for name, m := range races {
		if runs(name) {
			tests[m.pkg] = append(tests[m.pkg], m.test)
		}
	}
	for pkg, names := range tests {
		t.Run(pkg+" without mutants", func(t *testing.T) {
			parallel(t)
			if out, err := raceTest(t, "", pkg, strings.Join(names, "|")); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	for name, m := range races {
		if !runs(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			parallel(t)
			out, err := raceTest(t, name, m.pkg, m.test)
			if err == nil || !bytes.Contains(out, []byte("--- FAIL: "+m.test)) {
				t.Errorf("%s does not fail: %v\n%s", m.test, err, out)
			}
		})
	}
}

// raceTest runs tests of a package, in its folder, with a mutant.
func raceTest(t *testing.T, name, pkg, tests string) ([]byte, error) {
	t.Helper()
	run := command(t, mutant(t, name, path.Base(pkg)+".test", "-test.timeout=10m", "-test.run=^("+tests+")$"))
	run.Dir = filepath.Join(root, pkg)
	return run.CombinedOutput()
}
