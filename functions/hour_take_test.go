package functions_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// post is the fields of a post by ada in an event.
func post(audience string, to ...string) map[string]any {
	return map[string]any{"userId": "ada", "audience": audience, "to": append([]string{}, to...)}
}

// rewrites writes a post by ada, and delivers the event of that. It returns the handler's reads.
func (h hourly) rewrites(p string, before, after map[string]any) (reads int) {
	h.a.T.Helper()
	stored := maps.Clone(after)
	stored["createdAt"] = day
	h.a.Must(h.a.Client.Doc("posts/"+p).Set(h.a.T.Context(), stored))
	used := h.changes("OnPostWritten", "posts/"+p, before, after)
	return int(used.Reads)
}

// over uses up ada's hour of one act.
func (h hourly) over() {
	h.a.T.Helper()
	h.changes("OnPostWritten", "posts/other", nil, post(""))
}

// friends are accounts that follow ada before her posts.
func (a *app) friends(all ...string) {
	a.T.Helper()
	for _, r := range all {
		a.FollowSince(r, "ada", day.Add(-time.Hour))
		a.OK(a.Instance().Graph.Follow(a.T.Context(), "ada", r))
	}
}

// Who loses a post loses it at once, even if the author's hour makes others wait for it. Who keeps it by the current post
// has it all the time.
func TestLossesDoNotWaitForTheHour(t *testing.T) {
	t.Parallel()
	many := []string{"r1"}
	for n := range schema.MaxRecipients {
		many = append(many, fmt.Sprint("x", n))
	}
	for name, c := range map[string]struct {
		before, after, current map[string]any    // current: at the event, if another one
		at, end                map[string]string // who has the post after the event, and when nothing waits
		jobs                   int
		reports                int
	}{
		"one for another": {
			before: post("", "r1", "r2"), after: post("", "r2", "r3"),
			at: map[string]string{"r1": "", "r2": "p", "r3": ""}, end: map[string]string{"r1": "", "r2": "p", "r3": "p"}, jobs: 1,
		},
		"another audience": {
			before: post("ada", "r1"), after: post("g_team", "r1"),
			at: map[string]string{"f": "", "m": "", "r1": "p"}, end: map[string]string{"f": "", "m": "p", "r1": "p"}, jobs: 1,
		},
		"another audience, whose name was there": {
			before: post("ada", "m"), after: post("g_team", "r3"),
			at: map[string]string{"f": "", "r3": ""}, end: map[string]string{"f": "", "m": "p", "r3": "p"}, jobs: 1,
		},
		"a follower's name": {
			before: post("ada", "f", "r1"), after: post("ada", "r3"),
			at: map[string]string{"r1": "", "r3": ""}, end: map[string]string{"f": "p", "r1": "", "r3": "p"}, jobs: 1,
		},
		"only a name": {
			before: post("", "r1", "r2"), after: post("", "r2"),
			at: map[string]string{"r1": "", "r2": "p"}, end: map[string]string{"r1": "", "r2": "p"},
		},
		"only a name, beside one who blocks her": {
			before: post("", "b", "r1", "r2"), after: post("", "b", "r2"),
			at: map[string]string{"b": "", "r1": "", "r2": "p"}, end: map[string]string{"b": "", "r1": "", "r2": "p"},
		},
		"only the audience": {
			before: post("ada", "r1"), after: post("", "r1"),
			at: map[string]string{"f": "", "r1": "p"}, end: map[string]string{"f": "", "r1": "p"},
		},
		"late, and given back by then": {
			before: post("", "r1", "r2"), after: post("", "r2"), current: post("", "r1", "r2", "r3"),
			at: map[string]string{"r1": "p", "r2": "p", "r3": ""}, end: map[string]string{"r1": "p", "r2": "p", "r3": ""},
		},
		"late, and the audience is back": {
			before: post("ada"), after: post("g_team"), current: post("ada"),
			at: map[string]string{"f": "p", "m": ""}, end: map[string]string{"f": "p", "m": ""}, jobs: 1,
		},
		"too many names": {
			before: post("", "r1"), after: post("", many...),
			at: map[string]string{"r1": ""}, end: map[string]string{"r1": "", "x1": ""}, jobs: 1, reports: 1,
		},
		"a strange audience": {
			before: post("ada", "r1"), after: post("a/b", "r2"),
			at: map[string]string{"f": "", "r1": "", "r2": ""}, end: map[string]string{"f": "", "r1": "", "r2": "p"}, jobs: 1, reports: 1,
		},
	} {
		for _, feeds := range [][]string{{"relations", "items"}, {"relations", "buckets"}, {"relations", "days"}} {
			t.Run(name+" in "+feeds[1], func(t *testing.T) {
				t.Parallel()
				a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: feeds})
				a.friends("f")
				testkit.Profiles(t, a.Client, "r1", "r2", "r3", "x1", "b")
				a.FollowSince("m", "g_team", day.Add(-time.Hour))
				a.OK(a.Instance().Graph.Follow(t.Context(), "g_team", "m"))
				a.Must(a.Client.Doc("users/b/blocked/ada").Set(t.Context(), map[string]any{"createdAt": day}))
				h := a.hourly(300)
				h.rewrites("p", nil, c.before)
				h = a.hourly(1)
				h.over()
				want := func(all map[string]string) {
					t.Helper()
					for _, r := range slices.Sorted(maps.Keys(all)) {
						a.WantTimeline(r, strings.Fields(all[r])...)
						if r != "f" || all[r] == "" { // whose relation to the audience says nothing of the name
							a.WantFeed(r, strings.Fields(all[r])...)
						}
					}
				}
				if c.current != nil {
					h.late = true
					h.rewrites("p", c.after, c.after)
					stored := maps.Clone(c.current)
					stored["createdAt"] = day
					a.Must(a.Client.Doc("posts/p").Set(t.Context(), stored))
					h.changes("OnPostWritten", "posts/p", c.before, c.after)
				} else {
					h.rewrites("p", c.before, c.after)
				}
				want(c.at)
				if name == "a follower's name" {
					a.WantTimeline("f", "p")
				}
				if n := len(h.later()); n != c.jobs {
					t.Errorf("%d jobs wait, want %d", n, c.jobs)
				}
				h.ran()
				want(c.end)
				if c.jobs == 0 && c.current == nil { // no job is to write, and no event to come
					a.WantVerified()
				}
				if n := strings.Count(h.log.String(), "is ignored"); n != c.reports {
					t.Errorf("%d reports, want %d:\n%s", n, c.reports, h.log)
				}
			})
		}
	}
}

// What a toggle beyond the hour takes costs what it looks at: the people who lose the post, or once the audience's copies.
// A hidden or deleted post is taken at once, however often, and that does not count.
func TestTogglesBeyondTheHourCostWhatTheyTake(t *testing.T) {
	t.Parallel()
	const fans, most = 30, 16
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}})
	var all []string
	for n := range fans {
		all = append(all, fmt.Sprint("f", n))
	}
	a.friends(all...)
	h := a.hourly(300)
	h.rewrites("p", nil, post("ada", "x"))
	h = a.hourly(20)
	for a.T.Context().Err() == nil && len(h.later()) == 0 { // until ada's hour is over
		h.changes("OnPostWritten", "posts/other", post(""), post("ada"))
	}
	jobs := len(h.later())
	for n := range 10 {
		to := [][]string{{"x"}, {"y"}}
		if reads := h.rewrites("p", post("ada", to[n%2]...), post("ada", to[1-n%2]...)); reads > most {
			t.Errorf("another name costs %d reads", reads)
		}
	}
	h.late = true
	for range 10 {
		if used := h.changes("OnPostWritten", "posts/p", post("ada", "x"), post("g_team", "x")); used.Reads > 2 {
			t.Errorf("an audience that is back costs %v", used)
		}
	}
	h.late = false
	h.rewrites("p", post("ada", "x"), post("g_team", "x"))
	a.WantTimeline("f1")
	a.WantFeed("f1")
	for n := range 10 {
		audience := []string{"g_team", "ada"}
		if reads := h.rewrites("p", post(audience[n%2], "x"), post(audience[1-n%2], "x")); reads > most {
			t.Errorf("another audience costs %d reads", reads)
		}
	}
	waiting := len(h.later())
	for range 300 {
		hidden := post("ada", "x")
		hidden["hidden"] = true
		h.changes("OnPostWritten", "posts/p", post("ada", "x"), hidden)
		h.changes("OnPostWritten", "posts/p", post("ada", "x"), nil)
	}
	if n := len(h.later()); n != waiting || waiting > jobs+3 {
		t.Errorf("%d jobs wait, after hides and deletions %d", waiting, n)
	}
}

// Removals have a budget of their own. Beyond it, they wait like all other work.
func TestRemovalsHaveBudgetOfTheirOwn(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}})
	a.Follow("r1", "ada")
	testkit.Profiles(t, a.Client, "r1")
	h := a.hourly(300)
	for n := range 15 {
		h.rewrites(fmt.Sprint("p", n), nil, post("", "r1"))
	}
	h = a.hourly(1)
	h.over()
	for n := range 15 {
		h.rewrites(fmt.Sprint("p", n), post("", "r1"), post(""))
	}
	if left, jobs := len(a.Timeline("r1")), len(h.later()); left != 5 || jobs != 5 {
		t.Errorf("%d posts stay, and %d jobs wait, want 5 of each", left, jobs)
	}
	h.ran()
	a.WantTimeline("r1")
	a.WantFeed("r1")
}

// A person whom a post newly names, and who follows neither its author nor its audience, is dear.
func TestStrangersByNameAreDear(t *testing.T) {
	t.Parallel()
	strangers := func(n int) (all []string) {
		for n := range n {
			all = append(all, fmt.Sprint("s", n))
		}
		return all
	}
	for name, c := range map[string]struct {
		before, after map[string]any
		acts          int // of the hour of 300
	}{
		"ten strangers":             {nil, post("", strangers(9)...), 1 + 9/4 + 9*30},
		"who follow her":            {nil, post("", "f1", "f2", "f3", "f4"), 2},
		"who follow the group":      {nil, post("g_team", "m1", "m2"), 10},
		"who follow another group":  {nil, post("g_other", "m1", "m2"), 10 + 60},
		"named before":              {post("", "s1", "s2"), post("ada", "s2", "s1"), 1},
		"one more than before":      {post("", "s1", "s2"), post("", "s2", "s1", "s3"), 31},
		"hidden before":             {map[string]any{"userId": "ada", "audience": "", "to": []string{"s1"}, "hidden": true}, post("", "s1"), 31},
		"herself, nobody, and once": {nil, post("", "ada", "a/b", "s1", "s1"), 1 + 30},
		"too many to name anybody":  {nil, post("", strangers(schema.MaxRecipients+1)...), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := openApp(t, schema.Config{NoOwnPosts: true})
			a.Follow("m1", "g_team")
			a.Follow("m2", "g_team")
			for n := range 4 {
				a.Follow(fmt.Sprint("f", n+1), "ada")
			}
			h := a.hourly(300)
			h.rewrites("p", c.before, c.after)
			if n := len(h.later()); n > 0 {
				t.Fatalf("%d jobs wait", n)
			}
			if used := 300 - h.ActsLeft("ada"); used != c.acts {
				t.Errorf("it counts %d acts, want %d", used, c.acts)
			}
		})
	}
}

// Who shows a post again that another had hidden does not spend its author's hour.
func TestShownAgainByAnother(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}})
	testkit.Profiles(t, a.Client, "s1")
	h := a.hourly(300)
	for audience, acts := range map[string]int{"ada": 0, "": 0, "g_team": 10 + 2*30} {
		shown := post(audience, "s1", "s2")
		hidden := maps.Clone(shown)
		hidden["hidden"], hidden["hiddenBy"] = true, "moderator"
		h.rewrites("p"+audience, hidden, shown)
		a.WantTimeline("s1", "p"+audience)
		a.Must(a.Client.Doc("users/s1/timeline/p" + audience).Delete(t.Context()))
		if used := 300 - h.ActsLeft("ada"); used != 0 {
			t.Errorf("to %q, it counts %d acts of ada", audience, used)
		}
		if used := 300 - h.ActsLeft(audience); audience != "" && used != acts {
			t.Errorf("to %q, it counts %d acts, want %d", audience, used, acts)
		}
	}
}

// An event that comes again and again, because its work fails, counts once.
func TestEventThatComesAgainCountsOnce(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true})
	h := a.hourly(300)
	h.event = "again"
	for range 5 {
		h.rewrites("p", nil, post("", "s1"))
	}
	if left := h.ActsLeft("ada"); left != 300-31 {
		t.Errorf("%d acts are left, want %d", left, 300-31)
	}
	if h.event = ""; len(h.later()) > 0 {
		t.Error("it waits")
	}
	h.rewrites("p", nil, post("", "s1"))
	if left := h.ActsLeft("ada"); left != 300-31-62 {
		t.Errorf("after another event, %d acts are left, want %d", left, 300-31-62)
	}
}

// Strangers beyond the hour wait: also those whom an edit names before the event of the post comes, or while the post
// waits for less. An instance that has not counted them does not bring them either.
func TestStrangersWaitHoweverTheyAreNamed(t *testing.T) {
	t.Parallel()
	var crowd []string
	for n := range 50 {
		crowd = append(crowd, fmt.Sprintf("s%02d", n))
	}
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}, Notifications: true})
	for _, r := range []string{"f", "s00"} {
		a.Profile(r, map[string]any{"name": r})
		a.Follow(r, "ada")
	}
	a.Must(a.Client.Doc("users/ada/followers/s00").Delete(t.Context()))
	want := func(p string, has bool) {
		t.Helper()
		entry, err := a.Client.GetAll(t.Context(), []*firestore.DocumentRef{a.Client.Doc("users/s00/timeline/" + p), a.Client.Doc("_relations/" + schema.RelationID(p, schema.DirectIndex))})
		a.OK(err)
		followers, _ := entry[1].Data()["followers"].([]any)
		told := a.Count("users/s00/notifications") > 0
		if brought := slices.Contains(followers, any("s00")); entry[0].Exists() != has || brought != has || told != has {
			t.Errorf("s00 has an entry of %s: %t, a relation: %t, a notification: %t; want %t", p, entry[0].Exists(), brought, told, has)
		}
	}
	h := a.hourly(300)
	crowd = append(crowd, "f")
	late := post("", crowd...)
	late["createdAt"] = day
	a.Must(a.Client.Doc("posts/late").Set(t.Context(), late))
	h.changes("OnPostWritten", "posts/late", nil, post("", "f"))
	want("late", false)
	a.WantTimeline("f", "late")

	h.rewrites("late", post("", "f"), post("", crowd...)) // 3026 acts, as the second on the post: it waits
	want("late", false)
	jobs := h.later()
	if len(jobs) != 1 || time.Until(*jobs[0].At) < 9*time.Hour || time.Until(*jobs[0].At) > 10*time.Hour {
		t.Errorf("the jobs are %+v, want one, in nine hours", jobs)
	}
	h.rewrites("q", nil, post("", "f"))
	h.rewrites("q", post("", "f"), post("", crowd...)) // waits in a job of its own, longer than the post itself
	if jobs = h.later(); len(jobs) != 3 {
		t.Fatalf("%d jobs wait, want 3", len(jobs))
	}
	slices.SortFunc(jobs, func(a, b chunker.Job) int { return a.At.Compare(*b.At) })
	a.OK(h.RunLater(t.Context(), jobs[1]))
	want("q", false)
	a.WantTimeline("f", "q", "late")
	a.OK(h.RunLater(t.Context(), jobs[0]))
	want("late", true)
	a.OK(h.RunLater(t.Context(), jobs[2]))
	want("q", true)
}

// The jobs that bring a post to many followers, or after the brake, bring it by name to nobody who waits for the hour.
func TestJobsBringNobodyWhoWaits(t *testing.T) {
	t.Parallel()
	var crowd []string
	for n := range 50 {
		crowd = append(crowd, fmt.Sprintf("s%02d", n))
	}
	for name, brake := range map[string]bool{"many followers": false, "the brake": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}, InlineLimit: 3})
			a.friends("f0", "f1", "f2", "f3", "f4", "f5")
			testkit.Profiles(t, a.Client, "n", "s00")
			h := a.hourly(300)
			a.brake(brake)
			a.OK(h.LookAtBrake(t.Context()))
			h.rewrites("p", nil, post("ada", "n"))
			h.rewrites("p", post("ada", "n"), post("ada", append(crowd, "n")...))
			if n := len(h.later()); n != 1 {
				t.Fatalf("%d jobs wait, want 1", n)
			}
			a.brake(false)
			h = a.hourly(300)
			w := a.looking()
			_, err := w.Sweep(t.Context(), chunker.NewBudget(t.Context(), time.Now(), time.Minute, 0, nil))
			a.OK(err)
			work(w, a)
			a.WantTimeline("f5", "p")
			a.WantTimeline("s00")
			a.WantFeed("s00")
			if brake {
				a.OK(h.RunLater(t.Context(), a.Job(schema.LaterJobID("OnPostWritten to n", "p"))))
				a.WantTimeline("s00")
				a.WantFeed("s00")
			}
			a.WantTimeline("n", "p")
			h.ran()
			for _, r := range []string{"n", "s00"} {
				a.WantTimeline(r, "p")
				a.WantFeed(r, "p")
			}
		})
	}
}
