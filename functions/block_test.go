package functions_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// recipients returns the readers of a post's direct relation: "r1 r2".
func (a *app) recipients(post string) string {
	a.T.Helper()
	var held []string
	for _, v := range a.Data("_relations/" + schema.RelationID(post, schema.DirectIndex))["followers"].([]any) {
		held = append(held, v.(string))
	}
	return strings.Join(held, " ")
}

// A block, and its end, write again the direct relations of the posts in which the other names the blocker, and no
// others: not those of others, nor of posts that were not delivered yet. A repeated event writes nothing.
func TestBlockDeliversPostsByNameAgain(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, CopiedFields: []string{"text"}})
	a.Follow("fan", "ada")
	a.OK(a.Instance().Graph.Follow(t.Context(), "ada", "fan"))
	for p, author := range map[string]string{"a1": "ada", "a2": "ada", "e1": "eve"} {
		a.PostTo(p, author, author, day, "r1", "r2")
		a.OK(a.Instance().Deliveries.Post(t.Context(), p))
	}
	a.PostTo("other", "ada", "ada", day, "r2")
	a.PostTo("waits", "ada", "", day, "r1", "r2")
	a.PostTo("undelivered", "ada", "", day.Add(time.Hour), "r1", "r2")
	a.Edit("waits", firestore.Update{Path: "hidden", Value: true})
	h, block := a.hourly(1000), "users/r1/blocked/ada"
	begins := func() wire.Counts { return h.changes("OnBlockWritten", block, nil, map[string]any{}) }
	ends := func() wire.Counts { return h.changes("OnBlockWritten", block, map[string]any{}, nil) }
	for _, step := range []struct {
		name          string
		do            func() wire.Counts
		blocks        bool
		readers       string
		reads, writes int64
	}{
		// The follows and the block; four posts, the block, the relations of three; of the two posts, each, its relation and its recipients.
		{"a block", begins, true, "r2", 3 + 4 + 1 + 3 + 2*4, 2},
		{"a block again", begins, true, "r2", 3 + 4 + 1 + 3, 0},
		{"its end, late", ends, true, "r2", 4 + 1, 0},
		{"its end", ends, false, "r1 r2", 4 + 1 + 3 + 2*4, 2},
		{"its end again", ends, false, "r1 r2", 4 + 1 + 3, 0},
		{"the block, late", begins, false, "r1 r2", 3 + 4 + 1, 0},
	} {
		if exists := a.exists(block); step.blocks && !exists {
			a.Block("r1", "ada")
		} else if !step.blocks && exists {
			a.Unblock("r1", "ada")
		}
		used := step.do()
		if used.Reads != step.reads || used.Writes != step.writes || used.Deletes != 0 {
			t.Errorf("%s costs %v, want %d reads and %d writes", step.name, used, step.reads, step.writes)
		}
		for _, p := range []string{"a1", "a2"} {
			if got := a.recipients(p); got != step.readers {
				t.Errorf("after %s, %s is for %q, want %q", step.name, p, got, step.readers)
			}
		}
		if got := a.recipients("e1"); got != "r1 r2" || a.exists("_relations/undelivered_00000") || a.exists("_relations/waits_00000") {
			t.Errorf("after %s, eve's is for %q, or one is delivered too early", step.name, got)
		}
	}
}

// The person who is left alone in a post blocks its author, and so has it when the block ends.
func TestEndOfBlockByTheLastNamed(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}})
	a.Block("b", "ada")
	h := a.hourly(300)
	h.rewrites("p", nil, post("", "b", "r1"))
	a.WantFeed("r1", "p")
	h.rewrites("p", post("", "b", "r1"), post("", "b"))
	a.WantFeed("r1")
	a.Unblock("b", "ada")
	h.changes("OnBlockWritten", "users/b/blocked/ada", map[string]any{}, nil)
	a.WantTimeline("b", "p")
	a.WantFeed("b", "p")
	a.WantVerified()
}

// A block by one of the people in a post, and its end, bring it to nobody who waits for the author's hour.
func TestBlockBringsNobodyElse(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}})
	a.friends("f", "g")
	h := a.hourly(300)
	h.rewrites("p", nil, post("", "f", "g"))
	crowd := []string{"f", "g"}
	for n := range 50 {
		crowd = append(crowd, fmt.Sprintf("s%02d", n))
	}
	h.rewrites("p", post("", "f", "g"), post("", crowd...))
	want := func(readers string) {
		t.Helper()
		if got := a.recipients("p"); got != readers {
			t.Errorf("it is for %q, want %q", got, readers)
		}
		a.WantFeed("s00")
	}
	want("f g")
	a.Block("f", "ada")
	h.changes("OnBlockWritten", "users/f/blocked/ada", nil, map[string]any{})
	want("g")
	a.Unblock("f", "ada")
	h.changes("OnBlockWritten", "users/f/blocked/ada", map[string]any{}, nil)
	want("f g")
	h.ran()
	a.WantFeed("s00", "p")
}

// While the brake is on, the end of a block brings nothing back, and a block still takes.
func TestBrakeHoldsTheEndOfABlock(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}})
	testkit.Profiles(t, a.Client, "r1", "r2")
	a.PostTo("p", "ada", "", day, "r1", "r2")
	a.OK(a.Instance().Deliveries.Post(t.Context(), "p"))
	h, block := a.hourly(1000), "users/r1/blocked/ada"
	want := func(some ...string) {
		t.Helper()
		a.WantFeed("r1", some...)
		a.WantTimeline("r1", some...)
	}
	a.brake(true)
	a.OK(h.LookAtBrake(t.Context()))
	a.Block("r1", "ada")
	h.changes("OnBlockWritten", block, nil, map[string]any{})
	want()
	a.Unblock("r1", "ada")
	h.changes("OnBlockWritten", block, map[string]any{}, nil)
	job := a.Job(schema.LaterJobID("OnBlockWritten", "r1", "ada"))
	a.OK(h.RunLater(t.Context(), job))
	want()
	a.brake(false)
	h = a.hourly(1000)
	a.OK(h.LookAtBrake(t.Context()))
	a.OK(h.RunLater(t.Context(), job))
	want("p")
}

// A member of a group who blocks an author has the author's posts to the group, but for those that name the member. A
// post that names them no longer comes back, within the author's hour.
func TestPostThatNamesABlockerNoLongerComesBack(t *testing.T) {
	t.Parallel()
	for _, feeds := range []string{"items", "buckets", "days"} {
		t.Run(feeds, func(t *testing.T) {
			t.Parallel()
			a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{feeds}})
			a.FollowSince("r1", "g_team", day.Add(-time.Hour))
			a.OK(a.Instance().Graph.Follow(t.Context(), "g_team", "r1"))
			testkit.Profiles(t, a.Client, "r1")
			h := a.hourly(1000)
			h.rewrites("p", nil, post("g_team"))
			a.Block("r1", "ada")
			h.changes("OnBlockWritten", "users/r1/blocked/ada", nil, map[string]any{})
			a.WantTimeline("r1", "p")
			h.rewrites("p", post("g_team"), post("g_team", "r1"))
			a.WantTimeline("r1")
			h.rewrites("p", post("g_team", "r1"), post("g_team"))
			a.WantTimeline("r1", "p")
			a.WantVerified()
			h.rewrites("p", post("g_team"), post("g_team", "r1"))
			h = a.hourly(1)
			h.over()
			h.rewrites("p", post("g_team", "r1"), post("g_team"))
			a.WantTimeline("r1")
			h.ran()
			a.WantTimeline("r1", "p")
		})
	}
}

// exists reports whether there is a document.
func (a *app) exists(path string) bool {
	a.T.Helper()
	docs, err := a.Client.GetAll(a.T.Context(), []*firestore.DocumentRef{a.Client.Doc(path)})
	a.OK(err)
	return docs[0].Exists()
}

// stranded is an app whose reader r1 follows ann, and gets posts of strangers by name, in all.
func stranded(a *app, anns, strangers, each int) (want []string) {
	a.T.Helper()
	a.Profile("r1", map[string]any{"name": "r1"})
	a.FollowSince("r1", "ann", day.Add(-time.Hour))
	a.OK(a.Instance().Graph.Follow(a.T.Context(), "ann", "r1"))
	for n := range anns {
		p := fmt.Sprintf("ann%02d", n)
		a.Post(p, "ann", day.Add(time.Duration(n)*time.Minute))
		a.OK(a.Instance().Deliveries.Post(a.T.Context(), p))
		want = append([]string{p}, want...)
	}
	for s := range strangers {
		for n := range each {
			p := fmt.Sprintf("by%d-%02d", s, n)
			a.PostTo(p, fmt.Sprint("s", s), "", day.Add(time.Duration(100+s*each+n)*time.Minute), "r1")
			a.OK(a.Instance().Deliveries.Post(a.T.Context(), p))
		}
	}
	return want
}

// What the posts of a blocked stranger have pushed out of a timeline with a cap comes back, also if a job takes the posts.
// Without a cap, or if nothing was pushed out or taken, nothing is read for it.
func TestBlockBringsBackWhatWasPushedOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cfg     schema.Config
		each    int // posts of each of two strangers
		rebuilt bool
	}{
		"buckets":                   {schema.Config{Feeds: []string{"buckets"}, Bucket: 5, Cap: 10}, 20, true},
		"buckets, by a job":         {schema.Config{Feeds: []string{"buckets"}, Bucket: 5, Cap: 10, InlineLimit: 1}, 20, true},
		"items":                     {schema.Config{Feeds: []string{"items"}, Cap: 10}, 40, true},
		"items, by a job":           {schema.Config{Feeds: []string{"items"}, Cap: 10, InlineLimit: 5}, 40, true},
		"buckets that are not full": {schema.Config{Feeds: []string{"buckets"}, Bucket: 5, Cap: 40}, 10, false},
		"items that are not full":   {schema.Config{Feeds: []string{"items"}, Cap: 40}, 10, false},
		"buckets without a cap":     {schema.Config{Feeds: []string{"buckets"}, Bucket: 5}, 10, false},
		"days":                      {schema.Config{Feeds: []string{"days"}}, 10, false},
		"nothing is taken":          {schema.Config{Feeds: []string{"buckets"}, Bucket: 2, Cap: 4}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.cfg.NoOwnPosts = true
			a := openApp(t, c.cfg)
			want := stranded(a, 8, 2, c.each)
			a.Register()
			has := func() (n int) {
				for _, e := range a.Timeline("r1") {
					if e.Author == "ann" {
						n++
					}
				}
				return n
			}
			if got := has(); c.rebuilt && got != 0 {
				t.Fatalf("%d posts of ann are left: the test shows little", got)
			}
			for _, s := range []string{"s0", "s1"} {
				a.Block("r1", s)
				a.Settle()
			}
			if c.each > 0 {
				a.WantTimeline("r1", want...)
			}
			job := a.exists("_functions/" + schema.TimelineReaderJobID("r1"))
			if job != c.rebuilt {
				t.Errorf("a rebuild: %v, want %v", job, c.rebuilt)
			}
		})
	}
}

// Who blocks again and again has twice as many blocks in an hour as acts, and one more. Then blocks wait.
func TestBlocksWithoutEndWait(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true})
	h := a.hourly(30)
	for range 2 * 30 {
		h.changes("OnBlockWritten", "users/r1/blocked/ada", nil, map[string]any{})
	}
	if n := len(h.later()); n != 0 {
		t.Errorf("%d blocks wait", n)
	}
	for range 5 {
		h.changes("OnBlockWritten", "users/r1/blocked/ada", nil, map[string]any{})
	}
	if n := len(h.later()); n != 1 {
		t.Errorf("%d jobs wait, want one for all further blocks of one person", n)
	}
}

// What a block takes goes at once. What comes back counts for the blocker's hour: further blocks wait.
func TestBlocksBringBackWithinTheHour(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"buckets"}, Bucket: 5, Cap: 15})
	want := stranded(a, 8, 3, 5)
	h := a.hourly(60) // two of the three
	var asked []string
	for s := range 3 {
		other := fmt.Sprint("s", s)
		a.Block("r1", other)
		h.changes("OnBlockWritten", "users/r1/blocked/"+other, nil, map[string]any{})
		if by := fmt.Sprint("by", s); slices.ContainsFunc(a.shown("r1"), func(p string) bool { return strings.HasPrefix(p, by) }) {
			t.Errorf("after the block of %s: %v", other, a.shown("r1"))
		}
		asked = append(asked, fmt.Sprint(len(h.later())))
	}
	if got := strings.Join(asked, " "); got != "0 0 1" {
		t.Errorf("jobs that wait: %s", got)
	}
	h.brings("s0")
	h.brings("s1")
	work(a.Worker(0), a)
	before := a.Data("_functions/" + schema.TimelineReaderJobID("r1"))["generation"]
	h.ran()
	job := a.Data("_functions/" + schema.TimelineReaderJobID("r1"))
	if job["generation"] == before {
		t.Error("what waited requests no rebuild")
	}
	work(a.Worker(0), a)
	a.WantTimeline("r1", want...)
}

// brings does the job that brings r1 back what the posts of another have pushed out.
func (h hourly) brings(other string) {
	h.a.T.Helper()
	id := schema.LaterJobID("OnBlockWritten back", "r1", other)
	h.a.OK(h.RunLater(h.a.T.Context(), h.a.Job(id)))
	h.a.Must(h.a.Client.Doc("_functions/" + id).Delete(h.a.T.Context()))
}

// A process that handles a block is disturbed. When the event comes again, what the posts had pushed out comes back, although
// they are gone by then.
func TestDisturbedBlockBringsBack(t *testing.T) {
	t.Parallel()
	type inbox struct {
		*app
		want []string
	}
	testkit.Disturb(t, testkit.Disturbed[inbox]{
		Name: "an inbox that is full", Writes: 2,
		Prepare: func(t *testing.T) inbox {
			a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"buckets"}, Bucket: 5, Cap: 10})
			want := stranded(a, 8, 1, 30)
			a.Block("r1", "s0")
			return inbox{a, want}
		},
		Act: func(a inbox, p testkit.Process) error {
			return a.hourly(300, p.Interceptor).tries("OnBlockWritten", "users/r1/blocked/s0", nil, map[string]any{})
		},
		Check: func(a inbox) {
			a.hourly(300).brings("s0")
			work(a.Worker(0), a.app)
			a.WantTimeline("r1", a.want...)
		},
	})
}

// A stranger fills the half of a day that is for posts by name. What is left out comes when the stranger is blocked.
func TestBlockBringsBackWhatADayLeftOut(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"days"}, CopiedFields: []string{"text"}})
	a.friends("r1")
	testkit.Profiles(t, a.Client, "r1")
	name := func(p, author, audience string, n int) {
		a.Must(a.Client.Doc("posts/"+p).Set(t.Context(), map[string]any{
			"userId": author, "audience": audience, "to": []string{"r1"}, "createdAt": day.Add(time.Duration(n) * time.Second), "text": strings.Repeat("x", 2000),
		}))
		a.OK(a.Instance().Deliveries.Post(t.Context(), p))
	}
	for n := range 260 {
		name(fmt.Sprintf("s%03d", n), "s", "", n)
	}
	name("p", "ada", "ada", 300)
	has := func() bool {
		entries, _ := a.Data("users/r1/timeline/" + day.Format(time.DateOnly))["entries"].(map[string]any)
		return entries["p"] != nil
	}
	if has() {
		t.Fatal("the day has room: the test shows little")
	}
	a.Register()
	a.Block("r1", "s")
	a.Settle()
	if !has() {
		t.Error("the post of a friend stays left out")
	}
}

// shown returns the posts of a reader's timeline.
func (a *app) shown(reader string) []string {
	posts := map[string]bool{}
	for _, e := range a.Timeline(reader) {
		posts[e.Post] = true
	}
	return slices.Sorted(maps.Keys(posts))
}
