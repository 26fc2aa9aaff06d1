package functions_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/relations"
)

// profile writes a user document, as a client does who signs up.
func (a *app) profile(user string, fields map[string]any) {
	a.t.Helper()
	a.must(a.Client.Doc("users/"+user).Set(a.t.Context(), fields, firestore.MergeAll))
}

func (a *app) deleteAccount(user string) {
	a.t.Helper()
	a.must(a.Client.Doc("users/" + user).Delete(a.t.Context()))
}

// traces are the documents that name a user.
func (a *app) traces(user string) (found []string) {
	a.t.Helper()
	report := func(t relations.Trace) { found = append(found, t.String()) }
	if err := a.instance().Traces(a.t.Context(), user, report, nil); err != nil {
		a.t.Fatal(err)
	}
	return found
}

func (a *app) wantGone(user string) {
	a.t.Helper()
	if found := a.traces(user); len(found) > 0 {
		a.t.Errorf("%s is still named by %q", user, found)
	}
}

// purge is the job that purged the only account that was deleted.
func (a *app) purgeJob() chunker.Job {
	a.t.Helper()
	jobs, err := chunker.New(a.Client, chunker.Options{}).Named(a.t.Context(), "purge:", 10)
	if err != nil || len(jobs) != 1 {
		a.t.Fatalf("%d purge jobs (%v), want 1", len(jobs), err)
	}
	return jobs[0]
}

// crowd makes ada, who follows 5 authors and has 7 followers and 4 posts,
// among others who follow each other too.
func (a *app) crowd() {
	a.t.Helper()
	a.profile("ada", map[string]any{"displayName": "Ada"})
	for n := range 7 {
		f := fmt.Sprintf("fan%d", n)
		a.profile(f, map[string]any{"displayName": f})
		a.follow(f, "ada")
		a.follow(f, "bob")
	}
	for n := range 5 {
		author := fmt.Sprintf("star%d", n)
		a.post("of-"+author, author, day)
		a.follow("ada", author)
		a.follow("fan0", author)
	}
	for n := range 4 {
		a.post(fmt.Sprintf("ada%d", n), "ada", day.Add(time.Duration(n)*time.Hour))
	}
	a.idle()
	for _, f := range []string{"fan6", "troll", "other"} {
		a.block("ada", f)
	}
	a.unfollow("ada", "star4") // of which nothing may be left either
	a.idle()
}

func TestPurge(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]config.Functions{
		"at once":         {Capacity: 3},
		"in steps":        {Capacity: 3, InlineLimit: 2, Chunk: 2, Step: time.Nanosecond},
		"twice":           {Capacity: 3},
		"posts are kept":  {Capacity: 3, KeepPosts: true},
		"in one document": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, cfg)
			a.crowd()
			a.deleteAccount("ada")
			a.idle()
			job := a.purgeJob()
			want := map[string]int64{"followers": 6, "following": 4, "indexDocuments": 3, "relations": 12, "posts": 4, "blocked": 3}
			left := []string{}
			if cfg.Capacity == 0 {
				want["indexDocuments"], want["relations"] = 1, 4
			}
			if cfg.KeepPosts {
				want["posts"] = 0
				for n := range 4 {
					left = append(left, fmt.Sprintf("posts/ada%d: userId", n))
				}
			}
			if diff := cmp.Diff(want, job.Counts); diff != "" || job.State != chunker.Done || job.Args != nil {
				t.Errorf("the receipt of job %s, %v (-want +got):\n%s", job.State, job.Args, diff)
			}
			if diff := cmp.Diff(left, slices.Sorted(slices.Values(a.traces("ada")))); diff != "" && len(left)+len(a.traces("ada")) > 0 {
				t.Errorf("traces (-want +got):\n%s", diff)
			}
			a.wantVerified()
			a.wantFeed("fan0", "of-star4", "of-star3", "of-star2", "of-star1", "of-star0")
			a.wantFeed("ada")
		})
	}
}

// A purge costs a read, a write or a delete for each document that goes, and
// what the follows of others cost.
func TestCostOfAPurge(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{})
	const fans = 300
	a.profile("ada", map[string]any{"displayName": "Ada"})
	for n := range fans {
		a.follow(fmt.Sprintf("fan%03d", n), "ada")
	}
	a.idle()
	used := a.cost(func() { a.deleteAccount("ada") })
	const job = 1 + 1 + 7 // enqueued, claimed, a checkpoint for each phase
	if used.Writes > job || used.Deletes > 2*fans+1+1 {
		t.Errorf("the purge of an account with %d followers cost %v, want at most %d writes and %d deletes", fans, used, job, 2*fans+2)
	}
	// Each of the deletes of follower documents has an event, which reads four
	// documents to find nothing to do (shared by those that come together).
	if used.Reads > 4*fans+60 {
		t.Errorf("the purge cost %v, want at most %d reads", used, 4*fans+60)
	}
	t.Logf("%v", used)
	a.wantGone("ada")
}

// A follow of the account, or by it, whose event comes after the purge.
func TestAFollowThatComesAfterThePurgeIsRemoved(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Capacity: 2})
	a.profile("ada", map[string]any{"displayName": "Ada"})
	a.profile("bob", map[string]any{"displayName": "Bob"})
	a.follow("ada", "bob")
	a.follow("bob", "ada")
	a.post("p1", "bob", day)
	a.idle()
	a.deleteAccount("ada")
	a.idle()
	a.wantGone("ada")
	a.follow("ada", "bob") // by a client that was offline
	a.follow("bob", "ada")
	a.follow("eve", "ada")
	a.follow("eve", "bob")
	a.idle()
	a.wantGone("ada")
	a.wantVerified()
	a.wantFeed("eve", "p1")

	// The account is made again, with the same id: it can follow.
	a.profile("ada", map[string]any{"displayName": "Ada II"})
	a.follow("ada", "bob")
	a.follow("bob", "ada")
	a.idle()
	a.wantVerified()
	a.wantFeed("ada", "p1")
	if got := a.count("users/ada/followers_index"); got != 1 {
		t.Errorf("%d index documents of the new account, want 1", got)
	}
}

// The handler of a follow had read the index document before the purge removed
// it, and leaves the rest to a job only now; so does one of a profile.
func TestAJobThatIsEnqueuedAfterThePurgeLeavesNoTrace(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{AuthorFields: []string{"displayName=authorName"}})
	a.profile("ada", map[string]any{"displayName": "Ada"})
	a.follow("bob", "ada")
	a.idle()
	a.deleteAccount("ada")
	a.idle()
	late := chunker.New(a.Client, chunker.Options{})
	for _, s := range []chunker.Spec{
		{ID: "index:ada:00001", Kind: "relations.index", Args: map[string]string{"author": "ada", "index": "00001"}},
		{ID: "profile:ada", Kind: "relations.profile", Args: map[string]string{"author": "ada"}, Collection: "posts", Field: "userId", Value: "ada"},
	} {
		if err := late.Enqueue(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	a.idle()
	a.wantGone("ada")
}

// An event of a deletion that comes when the account is there again.
func TestAnAccountThatIsBackIsNotPurged(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{})
	a.profile("ada", map[string]any{"displayName": "Ada"})
	a.follow("bob", "ada")
	a.idle()
	if err := a.instance().Purge(t.Context(), "ada", "1", ""); err != nil {
		t.Fatal(err)
	}
	a.idle()
	if got := a.count("_functions"); got != 0 {
		t.Errorf("%d jobs, want none", got)
	}
	a.wantVerified()
	if got := a.count("users/ada/followers"); got != 1 {
		t.Errorf("%d followers, want 1", got)
	}
}

func TestAuthorFieldsReachPostsAndRelations(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{
		Capacity: 2, Chunk: 3, Step: time.Nanosecond,
		AuthorFields: []string{"displayName=authorName", "photo=authorPhoto"}, CopiedFields: []string{"authorName"},
	})
	const posts = 8
	a.profile("ada", map[string]any{"displayName": "Ada", "bio": "x"})
	for n := range 3 {
		a.follow(fmt.Sprintf("fan%d", n), "ada")
	}
	for n := range posts {
		a.post(fmt.Sprintf("p%d", n), "ada", day.Add(time.Duration(n)*time.Hour))
	}
	a.post("other", "bob", day)
	a.idle()
	check := func(name, photo any) {
		t.Helper()
		a.idle()
		for n := range posts {
			doc, err := a.Client.Doc(fmt.Sprintf("posts/p%d", n)).Get(t.Context())
			if err != nil || doc.Data()["authorName"] != name || doc.Data()["authorPhoto"] != photo {
				t.Errorf("post p%d is signed %v, %v (%v), want %v, %v", n, doc.Data()["authorName"], doc.Data()["authorPhoto"], err, name, photo)
			}
			for _, i := range []string{"00001", "00002"} {
				doc, err := a.Client.Doc(fmt.Sprintf("_relations/p%d_%s", n, i)).Get(t.Context())
				if err != nil || doc.Data()["authorName"] != name {
					t.Errorf("relation p%d_%s is signed %v (%v), want %v", n, i, doc.Data()["authorName"], err, name)
				}
			}
		}
		a.wantVerified()
	}
	check("Ada", nil)
	a.profile("ada", map[string]any{"displayName": "Ada L.", "photo": "a.png"})
	check("Ada L.", "a.png")
	a.profile("ada", map[string]any{"photo": firestore.Delete})
	check("Ada L.", nil)

	before := a.Meter.Counts()
	a.profile("ada", map[string]any{"bio": "y"})
	a.idle()
	if used := a.Meter.Counts().Minus(before); used.Reads+used.Writes != 0 {
		t.Errorf("a change of a field that posts do not copy cost %v, want nothing", used)
	}
	doc, err := a.Client.Doc("posts/other").Get(t.Context())
	if err != nil || slices.Contains(slices.Collect(maps.Keys(doc.Data())), "authorName") {
		t.Errorf("a post of somebody without a profile is signed: %v (%v)", doc.Data(), err)
	}
}
