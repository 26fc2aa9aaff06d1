package chaos

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/emulator/chaos"
	"example.com/relationindex/internal/devhost/faults"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/timelines/layout"
)

// In the ring most buckets are closed and overwritten, and a follow brings some posts. The
// run has fewer operations than one of each mischief takes.
func TestTimelinesWhileEverythingGoesWrong(t *testing.T) {
	parallel(t)
	r := runOnce(t, Options{
		Timeline:  Ring,
		Workload:  Workload{Seed: 2, Ops: ingredientsFrom - 10, Users: 20, Posts: 16},
		Workers:   2,
		Chaos:     chaos.Rates{Duplicate: 0.3, Reorder: 0.3, Delay: 200 * time.Millisecond, Drop: 0.1, Seed: 2},
		Faults:    faults.Plan{Rate: 0.05, Stall: 0.02, StallFor: 4 * time.Second, Seed: 2},
		KillEvery: 100,
	})
	noDifferences(t, r)
	t.Log(r.Timelines)
	if r.Timelines.Overwritten == 0 || r.Timelines.Due == 0 {
		t.Errorf("%d buckets overwritten, %d entries due: the test tests less than it says", r.Timelines.Overwritten, r.Timelines.Due)
	}
}

func TestFormsAreValid(t *testing.T) {
	for _, f := range Forms {
		cfg := Functions()
		f.configure(&cfg)
		cfg.Project = "demo-chaos"
		if err := cfg.Validate(); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		if got, err := ParseForm(string(f)); got != f || err != nil {
			t.Errorf("ParseForm(%q): %q, %v", f, got, err)
		}
	}
	if _, err := ParseForm("weeks"); err == nil {
		t.Error("weeks are no form")
	}
}

// The posts of days are of few days, so that a day has several.
func TestDaysHaveSeveralPosts(t *testing.T) {
	posts, days := 0, map[time.Time]bool{}
	for _, op := range (Workload{Seed: 1, Ops: 600, Users: 60, Posts: 16, Span: Days.span()}).Operations() {
		if op.Kind == CreatePost {
			posts++
			days[op.At.Truncate(24*time.Hour)] = true
		}
	}
	if len(days) < 10 || posts < 3*len(days) {
		t.Errorf("%d posts on %d days, want three times as many on 10 or more", posts, len(days))
	}
}

func TestCompareTimeline(t *testing.T) {
	may := map[string]Entry{"a": {"a", "x", day(3)}, "b": {"b", "x", day(2)}, "c": {"c", "x", day(1)}}
	entry := func(id string, sequence int64) layout.Entry {
		return layout.Entry{Post: id, At: may[id].CreatedAt.UnixMicro(), Copies: map[string]any{"text": "x"}, Sequence: sequence}
	}
	a, b, c := entry("a", 0), entry("b", 0), entry("c", 0)
	reworded := entry("a", 0)
	reworded.Copies = map[string]any{"text": "y"}
	for name, tt := range map[string]struct {
		got   []layout.Entry
		must  string
		limit int
		want  string // part of what it says; "": no difference
	}{
		"all":                      {[]layout.Entry{a, b, c}, "a b c", 0, ""},
		"what need not be there":   {[]layout.Entry{b}, "b", 0, ""},
		"one missing":              {[]layout.Entry{a, c}, "a b", 0, "b ("},
		"one twice":                {[]layout.Entry{a, entry("a", -1)}, "a", 0, "a is there twice"},
		"another text":             {[]layout.Entry{reworded}, "", 0, `want a ("x"`},
		"another time":             {[]layout.Entry{{Post: "a", At: 7, Copies: a.Copies}}, "", 0, "want a ("},
		"a stranger's":             {[]layout.Entry{{Post: "d"}}, "", 0, "does not reach the reader"},
		"another order":            {[]layout.Entry{b, a}, "", 0, "comes after b"},
		"another order of buckets": {[]layout.Entry{entry("a", 1), entry("b", 2)}, "", 0, "comes after a"},
		"buckets as they came":     {[]layout.Entry{entry("b", 2), entry("a", 1)}, "", 0, ""},
		"a cap":                    {[]layout.Entry{a, b}, "a b", 2, ""},
		"more than the cap":        {[]layout.Entry{a, b}, "", 1, "2 posts, want at most 1"},
	} {
		t.Run(name, func(t *testing.T) {
			must := map[string]bool{}
			for _, p := range strings.Fields(tt.must) {
				must[p] = true
			}
			got := CompareTimeline(tt.got, may, must, tt.limit)
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// What a timeline has to show depends on the times of documents.
func TestMustHave(t *testing.T) {
	m := modelOf([]Op{
		{Kind: Follow, User: "bob", Author: "alice"},
		{Kind: CreatePost, Author: "alice", Audience: "alice", Post: "old", At: day(1)},
		{Kind: CreatePost, Author: "alice", Audience: "alice", Post: "new", At: day(2)},
		{Kind: CreatePost, Author: "alice", Audience: "alice", Post: "edited", At: day(3)},
		{Kind: CreatePost, Author: "alice", Old: true, Post: "idle", At: day(3)},
		{Kind: Readdress, Author: "alice", Audience: "alice", Post: "idle"},
		{Kind: CreatePost, Author: "carol", Audience: "carol", Post: "named", At: day(4), To: []string{"bob"}},
		{Kind: CreatePost, Author: "carol", Audience: "carol", Post: "hers", At: day(5)},
		{Kind: Block, User: "dave", Author: "bob"},
		{Kind: Follow, User: "bob", Author: "g_group"},
		{Kind: CreatePost, Author: "dave", Audience: "g_group", Post: "refused", At: day(5), To: []string{"bob"}},
		{Kind: CreatePost, Author: "alice", Audience: "alice", Post: "hidden", At: day(6)},
		{Kind: Hide, Author: "alice", Post: "hidden"},
	})
	s := &stamps{edges: map[string]time.Time{followOf("bob", "alice"): day(10)}, posts: map[string]stamp{
		"old": {day(8), day(8)}, "new": {day(12), day(12)}, "edited": {day(8), day(12)}, "idle": {day(8), day(12)},
		"named": {day(8), day(8)}, "hers": {day(12), day(12)}, "hidden": {day(12), day(13)}, "refused": {day(12), day(12)},
	}}
	s.edges[followOf("bob", "g_group")] = day(10)
	for name, tt := range map[string]struct {
		cfg  config.Functions
		b    buckets
		want []string
	}{
		"what came after the follow":  {config.Functions{}, buckets{}, []string{"edited", "named", "new"}},
		"everything, by the follow":   {config.Functions{Backfill: allPosts}, buckets{}, []string{"edited", "idle", "named", "new", "old"}},
		"a ring that is not full":     {config.Functions{Backfill: 5, Cap: 5}, buckets{sequence: 2}, []string{"edited", "named", "new"}},
		"what is newer than the ring": {config.Functions{Backfill: 5, Cap: 5}, buckets{sequence: 9, oldest: day(2)}, []string{"edited", "named"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for p := range m.mustHave("bob", s, tt.cfg, tt.b) {
				got = append(got, p)
			}
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Damage to timelines of a sound system is told too.
func TestDamageToTimelinesIsReported(t *testing.T) {
	parallel(t)
	cfg := Functions()
	Buckets.configure(&cfg)
	system := start(t, cfg)
	client := system.Client()
	const users = 4
	alice, bob, gone := userID(0), userID(1), userID(3)
	ops := []Op{{Kind: Follow, User: bob, Author: alice}}
	for n := range 5 {
		ops = append(ops, Op{Kind: CreatePost, Author: alice, Audience: alice, Post: fmt.Sprint("post-", n), At: day(n + 1), Text: fmt.Sprint("text ", n)})
	}
	err := createAccounts(t.Context(), client, users-1)
	err = errors.Join(err, applyAll(t.Context(), client, nil, ops, 1, 100, func(int64) error { return nil }), system.Idle(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	m := modelOf(ops)
	m.deleted[gone] = true // as if it had been, and nothing were left

	found := func() []string { return found(t, system, m, users) }
	if got := found(); len(got) > 0 {
		t.Fatalf("differences of a sound system: %q", got)
	}
	open := "users/" + bob + "/timeline/open"
	for _, d := range []struct {
		name, document string
		update         firestore.Update
		want           string
	}{
		{"a total", open, firestore.Update{Path: "total", Value: 9}, "verify-timelines: " + open + ": the total is 9"},
		{"a trace of an account", open, firestore.Update{Path: "accounts", Value: []string{alice, gone}}, open + " names " + gone},
		{"no entries", "users/" + bob + "/timeline/past-00000001", firestore.Update{Path: "entries", Value: map[string]any{}}, "timeline of " + bob + ": 2 posts, may have 5"},
	} {
		t.Run(d.name, func(t *testing.T) {
			if _, err := client.Doc(d.document).Update(t.Context(), []firestore.Update{d.update}); err != nil {
				t.Fatal(err)
			}
			if got := found(); !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, d.want) }) {
				t.Errorf("reported %q, want %q", got, d.want)
			}
		})
	}
}
