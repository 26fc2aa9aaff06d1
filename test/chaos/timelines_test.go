//go:build long

package chaos

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/emulator/chaos"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/testkit/oracle"
)

// In the ring most buckets are closed and overwritten, and a follow brings some posts. The
// run has fewer operations than one of each mischief takes.
func TestTimelinesUnderAllFaults(t *testing.T) {
	parallel(t)
	r := runOnce(t, Options{
		Timeline:  Ring,
		Workload:  Workload{Seed: 2, Ops: ingredientsFrom - 10, Users: 16, Posts: 16},
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
		cfg.Project, cfg.EmulatorHost = "demo-chaos", "localhost:1"
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

// Posts are of few days, so that a day has several, and many are about as old as the margin.
func TestPostsAreOfAllAges(t *testing.T) {
	epoch := day(22)
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

// Damage to timelines of a sound system is told too.
func TestDamageToTimelinesIsReported(t *testing.T) {
	parallel(t)
	cfg := Functions()
	Buckets.configure(&cfg)
	system := start(t, cfg)
	client, h := recorded(t, system)
	const users = 4
	alice, bob, gone := userID(0), userID(1), userID(3)
	ops := []Op{{Kind: Follow, User: bob, Author: alice}}
	for n := range 5 {
		ops = append(ops, Op{Kind: CreatePost, Author: alice, Audience: alice, Post: fmt.Sprint("post-", n), At: time.Now().Add(time.Duration(n) * time.Second), Text: fmt.Sprint("text ", n)})
	}
	err := createAccounts(t.Context(), client, users-1)
	err = errors.Join(err, applyAll(t.Context(), client, nil, ops, 1, 100, func(int64) error { return nil }), system.Idle(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	deleted := map[string]bool{gone: true} // as if it had been, and nothing were left

	found := func() []string { return found(t, system, h, deleted, users) }
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
		{"no entries", "users/" + bob + "/timeline/past-00000001", firestore.Update{Path: "entries", Value: map[string]any{}}, "timeline of " + bob + ": post-0 ("},
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

func TestFormsAreValidWithoutTimelines(t *testing.T) {
	for _, f := range Forms {
		cfg := Functions()
		f.configure(&cfg)
		cfg.Project, cfg.EmulatorHost = "demo-chaos", "localhost:1"
		if cfg = withoutTimelines(cfg); cfg.Validate() != nil || cfg.Timeline() != "" {
			t.Errorf("%s: %v", f, cfg.Validate())
		}
	}
}
