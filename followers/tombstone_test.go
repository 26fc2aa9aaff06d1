package followers_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"example.com/relationindex/followers"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// Two keys of tombstones, of which a database has one.
const oldKey, newKey = "the-old-key-of-tombstones", "the-new-key-of-tombstones"

// keyDocument says which.
const keyDocument = "_tombstones/key"

// deleted is ada's app when her account has been purged, weeks ago: the job has expired.
func deleted(t *testing.T, key string) *testkit.App {
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, TombstoneKey: key})
	a.Profile("ada", map[string]any{"displayName": "Ada"})
	a.Follow("bob", "ada")
	a.Post("of star", "star", stories.Day)
	a.Settle()
	a.DeleteAccount("ada")
	a.Settle()
	a.Must(a.Client.Doc("_functions/" + a.PurgeJob().ID).Delete(t.Context()))
	a.WantGone("ada")
	return a
}

// lateFollows are those of phones that were offline.
func lateFollows(a *testkit.App) {
	a.T.Helper()
	a.Follow("bob", "ada")
	a.Follow("ada", "star")
	a.Settle()
}

// with starts the functions with another key.
func with(a *testkit.App, key string) {
	a.T.Helper()
	a.Config.TombstoneKey = key
	a.Register()
}

func TestFollowEventWeeksAfterPurgeLeavesNothing(t *testing.T) {
	t.Parallel()
	a := deleted(t, "")
	lateFollows(a)
	a.WantGone("ada")
	a.WantVerified()
}

func TestTombstoneIsOnlyAKeyedHash(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, TombstoneKey: newKey})
	a.Profile("ada", map[string]any{"displayName": "Ada"})
	a.Follow("bob", "ada")
	a.Settle()
	a.DeleteAccount("ada")
	a.Settle()
	sum := sha256.Sum256([]byte("ada"))
	guesses := []string{hex.EncodeToString(sum[:]), base64.RawURLEncoding.EncodeToString(sum[:]), base64.RawStdEncoding.EncodeToString(sum[:])}
	tombstones := 0
	for path, data := range testkit.Documents(t, a.Client, nil) {
		if slices.ContainsFunc(guesses, func(guess string) bool { return strings.Contains(path+fmt.Sprint(data), guess) }) {
			t.Errorf("%s is named by a hash without a key", path)
		}
		if strings.HasPrefix(path, "_tombstones/") && path != keyDocument {
			if tombstones++; len(data) > 0 {
				t.Errorf("the tombstone says %v", data)
			}
		}
	}
	if tombstones != 1 {
		t.Errorf("%d tombstones, want 1", tombstones)
	}
}

// The first processes of a database store which key it has, once. All others must have it.
func TestDatabaseAcceptsOneTombstoneKey(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][2]string{"two keys": {oldKey, newKey}, "none first": {"", newKey}, "none then": {oldKey, ""}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, TombstoneKey: keys[0]})
			a.OK(a.Instance().Graph.CheckTombstoneKey(t.Context())) // a command line, before the functions have begun
			used := a.Used(func() {
				var processes errgroup.Group
				for range 3 {
					index := a.Instance(a.Meter.Interceptor())
					processes.Go(func() error { return index.Graph.UseTombstoneKey(t.Context()) })
				}
				a.OK(processes.Wait())
			})
			if used.Writes != 1 {
				t.Errorf("to store the key's hash costs %v, want one write", used)
			}
			if data := fmt.Sprint(a.Data(keyDocument)); keys[0] != "" && strings.Contains(data, keys[0]) {
				t.Errorf("the document has the key: %s", data)
			}
			a.OK(a.Handlers().Ready(t.Context(), triggers.Sweep)) // makes the keys of cursors
			with(a, keys[0])
			wantKey(a, 6)
			with(a, keys[1])
			wantOtherKey(a)
			with(a, keys[0])
			wantKey(a, 6)
		})
	}
}

// A damaged document confirms no key: every process stops.
func TestDamagedTombstoneKeyHashStopsProcesses(t *testing.T) {
	t.Parallel()
	a := deleted(t, oldKey)
	for _, damaged := range []map[string]any{{}, {"hash": 7}, {"hash": ""}} {
		a.Must(a.Client.Doc(keyDocument).Set(t.Context(), damaged))
		wantOtherKey(a)
	}
}

// In production, where project ids do not begin with demo-, there is a key, or nothing is done.
func TestProductionHasNoDefaultKeyOfTombstones(t *testing.T) {
	t.Parallel()
	client := testkit.Open(t, "production")
	for key, want := range map[string]error{"": followers.ErrNoKey, newKey: nil} {
		x, err := social.Open(client, schema.Config{NoOwnPosts: true, TombstoneKey: key})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := x.Graph.UseTombstoneKey(t.Context()); !errors.Is(err, want) {
				t.Errorf("with the key %q: %v, want %v", key, err, want)
			}
		}
	}
}

// Without its key a tombstone matches no account: a late follow creates documents of the
// account again, and another purge removes them for good.
func TestLostTombstoneKeyNeedsAnotherPurge(t *testing.T) {
	t.Parallel()
	a := deleted(t, oldKey)
	a.OK(a.Instance().Graph.UseTombstoneKey(t.Context()))
	with(a, newKey)
	wantOtherKey(a)
	a.Must(a.Client.Doc(keyDocument).Delete(t.Context())) // as the error says
	a.OK(a.Instance().Graph.UseTombstoneKey(t.Context()))
	lateFollows(a)
	if len(a.Traces("ada")) == 0 {
		t.Error("a tombstone is known without its key")
	}
	a.WantVerified()
	a.OK(a.Instance().Accounts.Purge(t.Context(), "ada", "by hand", ""))
	a.Settle()
	a.WantGone("ada")
	lateFollows(a)
	a.WantGone("ada")
	a.WantVerified()
}

// wantKey is that a command line and the functions may work, at so many reads for a process: each check is once, of the key,
// the horizon, the keys of cursors, the stored configuration, the brake, and for Feed what deliveries lack.
func wantKey(a *testkit.App, reads int64) {
	a.T.Helper()
	if err := a.Instance().Graph.CheckTombstoneKey(a.T.Context()); err != nil {
		a.T.Errorf("a command line: %v", err)
	}
	used := a.Used(func() {
		for _, function := range slices.Concat(triggers.Names(), triggers.Names()) {
			if err := a.Handlers().Ready(a.T.Context(), function); err != nil {
				a.T.Errorf("%s: %v", function, err)
			}
		}
	})
	if (used != wire.Counts{Reads: reads, Requests: reads, Sent: used.Sent, Received: used.Received}) {
		a.T.Errorf("to begin costs %v, want %d reads", used, reads)
	}
}

// Every function that makes jobs has the key: with another one, it would give the jobs of an account other owners.
func TestFunctionsThatMakeJobsNeedKey(t *testing.T) {
	t.Parallel()
	for _, name := range triggers.Names() {
		if makes := name != triggers.Sweep && name != triggers.Feed; makes != config.NeedsTombstones(name) {
			t.Errorf("%s makes jobs: %t, and has the key: %t", name, makes, !makes)
		}
	}
}

// wantOtherKey is that neither may, but for functions that need no key.
func wantOtherKey(a *testkit.App) {
	a.T.Helper()
	if err := a.Instance().Graph.CheckTombstoneKey(a.T.Context()); !errors.Is(err, followers.ErrOtherKey) {
		a.T.Errorf("a command line: %v", err)
	}
	for _, name := range triggers.Names() {
		var want error
		if config.NeedsTombstones(name) {
			want = followers.ErrOtherKey
		}
		if err := a.Handlers().Ready(a.T.Context(), name); !errors.Is(err, want) {
			a.T.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}
