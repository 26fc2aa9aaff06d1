//go:build long

package clients_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	. "example.com/relationindex/testkit/clients"
	"example.com/relationindex/testkit/oracle"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func drawWorkload(t *rapid.T) Workload {
	return Workload{
		Seed:  rapid.Uint64().Draw(t, "seed"),
		Ops:   rapid.IntRange(1, 800).Draw(t, "ops"),
		Users: rapid.IntRange(2, 60).Draw(t, "users"),
		Posts: rapid.IntRange(1, 12).Draw(t, "posts"),

		Decides: rapid.Bool().Draw(t, "decides"), Comments: rapid.Bool().Draw(t, "comments"), Renames: rapid.Bool().Draw(t, "renames"), Blocks: rapid.Bool().Draw(t, "blocks"),
		Tallies: rapid.Bool().Draw(t, "tallies"),
	}
}

func TestSameSeedMakesSameOperations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorkload(t)
		ops := w.Operations()
		if len(ops) < w.Ops {
			t.Fatalf("%d operations, want %d or more", len(ops), w.Ops)
		}
		if diff := cmp.Diff(ops, w.Operations()); diff != "" {
			t.Fatalf("the second time (-first +second):\n%s", diff)
		}
	})
}

// begin is what is there before the operations of a workload.
func begin(users int) Present {
	p := Present{}
	for n := range users {
		p["users/"+UserID(n)] = map[string]any{"name": "somebody"}
	}
	for n := range Groups + 1 {
		p["users/"+GroupID(n)] = map[string]any{"name": "a group"}
	}
	return p
}

// The workload has only operations that clients can do. Each of them changes what is there,
// and none names a missing document.
func TestOperationsArePossible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorkload(t)
		p, back, times := begin(w.Users), map[string]bool{}, map[time.Time]bool{}
		ops, restricted := w.Operations(), rapid.Bool().Draw(t, "restricted")
		if restricted {
			ops = w.Restricted()
		}
		for n, op := range ops {
			for _, u := range op.Accounts() {
				if p["users/"+u] == nil && op.Kind != Return {
					t.Fatalf("operation %d names a deleted account: %v", n, op)
				}
			}
			there, post, closed := p[op.Document()] != nil, p["posts/"+op.Post], p["users/"+op.Author]["closed"] == true
			var ok bool
			switch op.Kind {
			case Follow:
				ok = p.MayFollow(op.User, op.Author) && (!closed || !op.At.IsZero())
			case Request:
				ok = p.MayFollow(op.User, op.Author) && closed
			case Accept:
				ok = there && !p.Follows(op.User, op.Author) && !p.Apart(op.User, op.Author)
			case Withdraw, Decline, Unfollow, Uncomment, Unlike, UnhidePost:
				ok = there
			case Close, Open:
				ok = (p["users/"+op.User]["closed"] == true) == (op.Kind == Open)
			case Redate, Reword, Remood, Rekind, Readdress, Direct, DeletePost:
				ok = post["userId"] == op.Author && (op.Audience == "" || op.Audience == op.Author || schema.IsGroup(op.Audience))
			case Reassign:
				ok = post["userId"] == op.Author && op.NewAuthor != op.Author
			case Hide, Show:
				ok = post["userId"] == op.Author && (post["hidden"] == true) == (op.Kind == Show)
			case Block:
				ok = !there && op.User != op.Author
			case Unblock:
				ok = there || back[op.User] || back[op.Author] // whose block may be gone
			case CreatePost, HidePost:
				ok = !there
			case Comment, Like:
				ok = !there && post != nil
			case Return:
				ok = !there && !back[op.User]
				back[op.User] = true
			case DeleteAccount:
				ok = !back[op.User]
			case Overwrite, Forbidden, Rename, Decide, See, Read:
				ok = len(op.Hide) <= 200
			}
			if wants := map[Kind]bool{
				Rename: w.Renames, Rekind: w.Decides, Decide: w.Decides, See: w.Decides, Read: w.Decides, HidePost: w.Decides,
				Comment: w.Comments || w.Tallies, Like: w.Tallies, Return: !restricted, Overwrite: !restricted, Forbidden: !restricted, Close: !restricted,
			}; !ok || !wants[op.Kind] && slices.Contains(slices.Collect(maps.Keys(wants)), op.Kind) {
				t.Fatalf("operation %d is not possible: %v", n, op)
			}
			if dated := op.Kind == CreatePost || op.Kind == Redate || op.Kind == Read; op.Kind != Follow && dated == op.At.IsZero() || dated && times[op.At] {
				t.Fatalf("operation %d has no time, or one that was there: %v", n, op)
			}
			times[op.At] = true
			p.Apply(op, time.Now())
			if op.Kind != CreatePost && op.Kind != Reassign {
				continue
			}
			live := map[any]int{}
			for path, fields := range p {
				if strings.Count(path, "/") == 1 && fields["userId"] != nil {
					live[fields["userId"]]++
				}
			}
			if live[op.Author] > w.Posts || live[op.NewAuthor] > w.Posts {
				t.Fatalf("operation %d gives an author more than %d posts: %v", n, w.Posts, op)
			}
		}
	})
}

// Present is what Firestore has after the same operations, and the deletions that Apply names.
func TestPresentIsWhatFirestoreHas(t *testing.T) {
	client := testkit.Open(t, testkit.ProjectID(t))
	w := Workload{Seed: 1, Ops: 300, Users: 12, Posts: 4, Decides: true, Renames: true, Blocks: true, Tallies: true, Comments: true}
	p := begin(w.Users)
	testkit.Write(t, client, p)
	for _, op := range w.Operations() {
		if op.Kind == Forbidden {
			continue
		}
		gone := p.Apply(op, time.Now())
		if err := op.Apply(t.Context(), client); err != nil {
			t.Fatalf("%v: %v", op, err)
		}
		for _, path := range gone {
			ref := client.Doc(path)
			_, err := ref.Delete(t.Context())
			if p[path] != nil {
				_, err = ref.Set(t.Context(), p[path])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	got, err := testkit.ReadDocuments(t.Context(), client, testkit.AllCollections, nil)
	if err != nil {
		t.Fatal(err)
	}
	names := func(docs map[string]map[string]any) (all []string) {
		for path, fields := range docs {
			delete(fields, "mood") // NaN differs from itself
			for name, value := range fields {
				if _, timed := value.(time.Time); !timed {
					all = append(all, path+" "+name+" "+cmp.Diff(nil, value))
				}
			}
			all = append(all, path)
		}
		slices.Sort(all)
		return all
	}
	if diff := cmp.Diff(names(p), names(got)); diff != "" {
		t.Errorf("Present and Firestore (-present +firestore):\n%s", diff)
	}
}

// The shares of a run as make chaos makes it, whatever the seed.
func TestSharesOfTheKinds(t *testing.T) {
	between := map[Kind][2]float64{ // percent, beyond what 800 seeds gave
		Follow: {17, 45}, Unfollow: {11, 40}, Block: {0.5, 6}, Unblock: {0.3, 5},
		CreatePost: {12, 30}, Redate: {2, 8}, Reword: {3, 10}, Reassign: {0, 6}, DeletePost: {3, 14},
		DeleteAccount: {0, 1}, Return: {0, 1}, Overwrite: {0.5, 4}, Remood: {0.5, 5}, Forbidden: {0.5, 4},
		Readdress: {0.5, 6}, Direct: {0.5, 5}, Hide: {0.5, 4}, Show: {0.1, 3}, Close: {0.2, 2}, Open: {0.05, 2},
		Request: {0.5, 9}, Accept: {0.3, 4}, Decline: {0.02, 3}, Withdraw: {0.1, 3},
	}
	rapid.Check(t, func(t *rapid.T) {
		w := Workload{Seed: rapid.Uint64().Draw(t, "seed"), Ops: 5000, Users: 200, Posts: 16}
		ops := w.Operations()
		kinds, followed := map[Kind]int{}, map[string]int{}
		flips := 0
		for n, op := range ops {
			kinds[op.Kind]++
			if op.Kind == Follow {
				followed[op.Author]++
			}
			if n > 0 && op.User != "" && op.User == ops[n-1].User && op.Author == ops[n-1].Author {
				flips++
			}
		}
		t.Logf("%v, %d flips of a pair", kinds, flips)
		for kind, share := range between {
			if percent := 100 * float64(kinds[kind]) / float64(len(ops)); percent < share[0] || percent > share[1] {
				t.Errorf("%s: %.1f %% of the operations, want %v to %v", kind, percent, share[0], share[1])
			}
		}
		if lacks := w.Lacking(ops); len(lacks) > 0 {
			t.Errorf("none of %q", lacks)
		}
		if n := kinds[DeleteAccount]; n < 5 {
			t.Errorf("%d accounts deleted, want 5 or more", n)
		}
		if flips < len(ops)/20 {
			t.Errorf("%d times a pair's follow was written twice in a row, want a twentieth of the operations", flips)
		}
		top := 0
		for n := range 10 {
			top += followed[UserID(n)]
		}
		if percent := 100 * top / kinds[Follow]; percent < 25 || percent > 80 {
			t.Errorf("ten authors of 200 have %d %% of the follows, want 25 to 80", percent)
		}
	})
}

// Posts are of few days, so that a day has several, and many are about as old as the margin.
func TestPostsAreOfAllAges(t *testing.T) {
	epoch := time.Date(2026, 1, 22, 0, 0, 0, 0, time.UTC)
	posts, days, recent := 0, map[time.Time]bool{}, 0
	for _, op := range (Workload{Seed: 1, Ops: 600, Users: 60, Posts: 16, Epoch: epoch}).Operations() {
		if op.Kind == CreatePost {
			posts++
			days[op.At.Truncate(24*time.Hour)] = true
			if age := epoch.Sub(op.At); age > 0 && age < 2*oracle.Margin {
				recent++
			}
		}
	}
	if len(days) < 10 || posts < 3*len(days) || recent < posts/8 {
		t.Errorf("%d posts on %d days, want three times as many on 10 or more; %d of the last minutes", posts, len(days), recent)
	}
}

// Each run ends with changes that show: a mutant that ignores one of them shows another feed.
func TestAudienceChangesAffectFeeds(t *testing.T) {
	for seed := range uint64(20) {
		w := Workload{Seed: seed, Ops: IngredientsFrom, Users: 24, Posts: 8}
		ops := w.Operations()
		want := feeds(ops, w.Users)
		for what, ignored := range map[string]func(Op) bool{
			"readdress":              func(o Op) bool { return o.Kind == Readdress },
			"hide":                   func(o Op) bool { return o.Kind == Hide },
			"recipients":             func(o Op) bool { return len(o.To) > 0 },
			"follow of a late group": func(o Op) bool { return o.Author == LateGroup },
		} {
			if cmp.Equal(want, feeds(slices.DeleteFunc(slices.Clone(ops), ignored), w.Users)) {
				t.Errorf("seed %d, %s: nobody's feed shows it", seed, what)
			}
		}
	}
}

// feeds returns the posts that reach each user who did not come back.
func feeds(ops []Op, users int) map[string][]string {
	h, p, at, back := &oracle.History{}, begin(users), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), map[string]bool{}
	for _, op := range ops {
		at = at.Add(time.Second)
		p.Apply(op, at)
		if back[op.User] = back[op.User] || op.Kind == Return; p[op.Document()] == nil {
			h.Delete(op.Document(), at)
		} else {
			h.Write(op.Document(), at, p[op.Document()])
		}
		if op.Kind == Accept {
			follow := "users/" + op.Author + "/followers/" + op.User
			h.Write(follow, at, p[follow])
		}
	}
	h.End(at, p)
	all, o := map[string][]string{}, oracle.New(h, oracle.Config{All: true}, at)
	for n := range users {
		for _, post := range o.Reader(UserID(n)).Sorted() {
			if !back[UserID(n)] {
				all[UserID(n)] = append(all[UserID(n)], post.ID)
			}
		}
	}
	return all
}
