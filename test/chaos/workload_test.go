//go:build long

package chaos

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/relationindex/schema"
)

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

// The workload has only operations that clients can do. Each of them changes the model,
// and none names a missing document.
func TestOperationsArePossible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorkload(t)
		d := newDatabase()
		live, closed := map[string]int{}, map[string]bool{}
		times := map[int64]bool{}
		for n, op := range w.Operations() {
			wasDeleted := d.deleted[op.User]
			for _, u := range op.accounts() {
				if d.deleted[u] && op.Kind != Return {
					t.Fatalf("operation %d names a deleted account: %v", n, op)
				}
			}
			there := func(path string) bool { return d.docs[path] != nil }
			post, exists := d.docs["posts/"+op.Post], there("posts/"+op.Post)
			follows := there(followOf(op.User, op.Author))
			blocked := there("users/" + op.Author + "/blocked/" + op.User)
			apart := blocked || there("users/"+op.User+"/blocked/"+op.Author)
			requested := there("users/" + op.Author + "/requests/" + op.User)
			var ok bool
			switch op.Kind {
			case Follow:
				ok = !follows && op.User != op.Author && (!closed[op.Author] || !op.At.IsZero()) && !requested && !apart
			case Request:
				ok = !follows && op.User != op.Author && closed[op.Author] && !requested && !apart
			case Accept:
				ok = !follows && requested && !apart
			case Withdraw, Decline:
				ok = requested
			case Close, Open:
				ok = closed[op.User] == (op.Kind == Open)
				closed[op.User] = op.Kind == Close
			case Readdress, Direct:
				ok = exists && post["userId"] == op.Author && (op.Audience == "" || op.Audience == op.Author || schema.IsGroup(op.Audience))
			case Hide, Show:
				ok = exists && post["userId"] == op.Author && (post["hidden"] == true) == (op.Kind == Show)
			case Unfollow:
				ok = follows
			case Block:
				ok = !blocked && op.User != op.Author
			case Unblock:
				ok = blocked || d.back[op.User] || d.back[op.Author] // whose block may be gone
			case CreatePost:
				ok = !exists && op.Text != ""
				live[op.Author]++
			case Remood:
				_, known := moods[op.Text]
				ok = exists && post["userId"] == op.Author && known
			case Overwrite:
				ok = true
				delete(closed, op.User)
			case Return:
				ok = wasDeleted && !d.back[op.User]
			case Forbidden:
				ok = op.Text != ""
			case Rename:
				ok = w.Renames && op.Text != ""
			case Rekind:
				ok = w.Decides && exists && post["userId"] == op.Author
			case Decide, Read:
				ok = w.Decides && len(op.Hide) <= 200
			case See:
				ok = w.Decides && (op.Text == seenLongAgo || op.Text == seenNow)
			case HidePost:
				ok = w.Decides && !there(op.document())
			case UnhidePost:
				ok = w.Decides && there(op.document())
			case Comment:
				ok = (w.Comments || w.Tallies) && exists && !there(op.document())
			case Uncomment:
				ok = (w.Comments || w.Tallies) && there(op.document())
			case Like:
				ok = w.Tallies && exists && !there(op.document())
			case Unlike:
				ok = w.Tallies && there(op.document())
			case Redate, Reword:
				ok = exists && post["userId"] == op.Author
			case Reassign:
				ok = exists && post["userId"] == op.Author && op.NewAuthor != op.Author
				live[op.Author]--
				live[op.NewAuthor]++
			case DeletePost:
				ok = exists && post["userId"] == op.Author
				live[op.Author]--
			case DeleteAccount:
				ok = !d.back[op.User]
				delete(live, op.User)
				delete(closed, op.User)
			}
			if !ok {
				t.Fatalf("operation %d is not possible: %v", n, op)
			}
			if live[op.Author] > w.Posts || live[op.NewAuthor] > w.Posts {
				t.Fatalf("operation %d gives an author more than %d posts: %v", n, w.Posts, op)
			}
			if dated := op.Kind == CreatePost || op.Kind == Redate || op.Kind == Read; op.Kind != Follow && dated == op.At.IsZero() || dated && times[op.At.UnixNano()] {
				t.Fatalf("operation %d has no time, or one that was there: %v", n, op)
			}
			times[op.At.UnixNano()] = true
			d.apply(op)
		}
	})
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
		ops := Workload{Seed: rapid.Uint64().Draw(t, "seed"), Ops: 5000, Users: 200, Posts: 16}.Operations()
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
		for what, n := range ingredients(ops) {
			if n == 0 {
				t.Errorf("no %s", what)
			}
		}
		if n := kinds[DeleteAccount]; n < 5 {
			t.Errorf("%d accounts deleted, want 5 or more", n)
		}
		if flips < len(ops)/20 {
			t.Errorf("%d times a pair's follow was written twice in a row, want a twentieth of the operations", flips)
		}
		top := 0
		for n := range 10 {
			top += followed[userID(n)]
		}
		if percent := 100 * top / kinds[Follow]; percent < 25 || percent > 80 {
			t.Errorf("ten authors of 200 have %d %% of the follows, want 25 to 80", percent)
		}
	})
}

// Applied side by side but after their predecessors, operations on one
// document keep their order, and an account is deleted after all that names it.
func TestPredecessors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ops := drawWorkload(t).Operations()
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
				same := op.subject() == ops[p].subject()
				for _, u := range ops[p].accounts() {
					same = same || op.Kind == DeleteAccount && u == op.User
				}
				if same && !after[n][p] {
					t.Fatalf("operation %d (%v) does not wait for %d (%v)", n, op, p, ops[p])
				}
			}
		}
	})
}

// Each run ends with changes that show: a mutant that ignores one of them shows another feed.
func TestAudienceChangesAffectFeeds(t *testing.T) {
	for seed := range uint64(20) {
		w := Workload{Seed: seed, Ops: ingredientsFrom, Users: 24, Posts: 8}
		ops := w.Operations()
		want := databaseOf(ops)
		for what, ignored := range map[string]func(Op) bool{
			"readdress":              func(o Op) bool { return o.Kind == Readdress },
			"hide":                   func(o Op) bool { return o.Kind == Hide },
			"recipients":             func(o Op) bool { return len(o.To) > 0 },
			"follow of a late group": func(o Op) bool { return o.Author == lateGroup },
		} {
			got := databaseOf(slices.DeleteFunc(slices.Clone(ops), ignored))
			differs := false
			for n := range w.Users {
				u := userID(n)
				differs = differs || !want.back[u] && !cmp.Equal(want.feed(u), got.feed(u))
			}
			if !differs {
				t.Errorf("seed %d, %s: nobody's feed shows it", seed, what)
			}
		}
	}
}
