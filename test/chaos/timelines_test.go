//go:build long

package chaos

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/emulator/chaos"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/testkit/clients"
)

// In the ring most buckets are closed and overwritten, and a follow brings some posts. The
// run has fewer operations than one of each mischief takes.
func TestTimelinesUnderAllFaults(t *testing.T) {
	parallel(t)
	r := runOnce(t, Options{
		Timeline:  Ring,
		Workload:  Workload{Seed: 2, Ops: clients.IngredientsFrom - 10, Users: 16, Posts: 16},
		Workers:   2,
		Chaos:     chaos.Rates{Duplicate: 0.3, Reorder: 0.3, Delay: 200 * time.Millisecond, Drop: 0.1, Seed: 2},
		Faults:    faults.Plan{Rate: 0.05, Stall: 0.02, StallFor: 4 * time.Second, Seed: 2},
		KillEvery: 100,
	})
	noDifferences(t, r)
	r.wants(t, wrappedBuckets, dueEntries)
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
		if cfg = withoutTimelines(cfg); cfg.Validate() != nil || cfg.Timeline() != "" {
			t.Errorf("%s, without timelines: %v", f, cfg.Validate())
		}
	}
	if _, err := ParseForm("weeks"); err == nil {
		t.Error("weeks are no form")
	}
}

// Damage to timelines of a sound system is told too.
func TestDamageToTimelinesIsReported(t *testing.T) {
	parallel(t)
	cfg := Functions()
	Buckets.configure(&cfg)
	system := start(t, cfg)
	const users = 4
	alice, bob, gone := clients.UserID(0), clients.UserID(1), clients.UserID(3)
	ops := []clients.Op{{Kind: clients.Follow, User: bob, Author: alice}}
	for n := range 5 {
		ops = append(ops, clients.Op{Kind: clients.CreatePost, Author: alice, Audience: alice, Post: fmt.Sprint("post-", n), At: time.Now().Add(time.Duration(n) * time.Second), Text: fmt.Sprint("text ", n)})
	}
	h := writeAll(t, system, users-1, ops...)
	found := func() []string { return found(t, system, h, users) }
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
			if _, err := system.Client().Doc(d.document).Update(t.Context(), []firestore.Update{d.update}); err != nil {
				t.Fatal(err)
			}
			if got := found(); !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, d.want) }) {
				t.Errorf("reported %q, want %q", got, d.want)
			}
		})
	}
}
