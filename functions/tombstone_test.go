package functions_test

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

	"example.com/relationindex/chunker"
	"example.com/relationindex/followers"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/runtime/wire"
	"example.com/relationindex/internal/testkit"
	"example.com/relationindex/schema"
)

// keys are lists of tombstones' keys before and after a rotation.
const oldKey, newKey = "the-old-key-of-tombstones", "the-new-key-of-tombstones"

// keysDocument says which keys have made tombstones.
const keysDocument = "_tombstones/keys"

// deleted is ada's app when her account has been purged, weeks ago: the job has expired.
func deleted(t *testing.T, keys ...string) *app {
	a := newApp(t, config.Functions{TombstoneKeys: keys})
	a.Profile("ada", map[string]any{"displayName": "Ada"})
	a.Follow("bob", "ada")
	a.Post("of star", "star", day)
	a.Settle()
	a.DeleteAccount("ada")
	a.Settle()
	a.Must(a.Client.Doc("_functions/" + a.PurgeJob().ID).Delete(t.Context()))
	a.WantGone("ada")
	return a
}

// lateFollows are those of phones that were offline.
func (a *app) lateFollows() {
	a.T.Helper()
	a.Follow("bob", "ada")
	a.Follow("ada", "star")
	a.Settle()
}

// with starts the functions with other keys.
func (a *app) with(keys ...string) {
	a.T.Helper()
	a.Config.TombstoneKeys = keys
	a.Register()
}

func TestAFollowThatComesWeeksAfterThePurge(t *testing.T) {
	t.Parallel()
	a := deleted(t)
	a.lateFollows()
	a.WantGone("ada")
	a.WantVerified()
}

func TestATombstoneIsAKeyedHashAlone(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{TombstoneKeys: []string{newKey}})
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
		if strings.HasPrefix(path, "_tombstones/") && path != keysDocument {
			if tombstones++; len(data) > 0 {
				t.Errorf("the tombstone says %v", data)
			}
		}
	}
	if tombstones != 1 {
		t.Errorf("%d tombstones, want 1", tombstones)
	}
}

func TestTheKeyOfTombstonesIsRotated(t *testing.T) {
	t.Parallel()
	a := deleted(t, oldKey)
	a.with(newKey)
	a.wantOtherKeys() // nothing was made by the new one yet
	a.with(newKey, oldKey)
	a.rotate()
	a.wantKeys(5)
	a.lateFollows()
	a.WantGone("ada")
	a.with(oldKey) // back to the list of before: it has not the newest
	a.wantOtherKeys()
	a.with(newKey, oldKey)
	a.Profile("eve", map[string]any{"displayName": "Eve"})
	a.Follow("eve", "star")
	a.Settle()
	a.DeleteAccount("eve")
	a.Settle()
	a.with(newKey) // the old key is taken away
	a.wantKeys(5)
	a.Follow("bob", "eve")
	a.Follow("eve", "star")
	a.Settle()
	a.WantGone("eve")
	a.WantVerified()
}

// An old key may be taken away before anybody was deleted under the new one, and
// come back in front later.
func TestKeysOfTombstonesAreRotatedWhileNobodyIsDeleted(t *testing.T) {
	t.Parallel()
	a := deleted(t, oldKey)
	a.ok(a.Handlers().Ready(t.Context(), triggers.Sweep)) // makes the keys of cursors
	for _, keys := range [][2]string{{newKey, oldKey}, {oldKey, newKey}, {newKey, oldKey}} {
		a.with(keys[0], keys[1])
		if err := a.Instance().Graph.CheckTombstoneKeys(t.Context()); err != nil {
			t.Errorf("a command line, before the functions have begun: %v", err)
		}
		a.rotate()
		a.wantKeys(5)
		a.with(keys[0])
		a.wantKeys(5)
		a.with(keys[1])
		a.wantOtherKeys()
	}
	made, err := a.Client.Doc(keysDocument).Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if hashes, _ := made.DataAt("made"); len(hashes.([]any)) != 2 {
		t.Errorf("two keys are noted as %v", hashes)
	}
}

// A shell without the variable has the default key, which is among those that have
// made tombstones wherever it was rotated away.
func TestAShellWithoutTheKeysIsRefused(t *testing.T) {
	t.Parallel()
	a := deleted(t)
	a.with(newKey, schema.DefaultTombstoneKey)
	a.Profile("eve", map[string]any{"displayName": "Eve"})
	a.Settle()
	a.DeleteAccount("eve") // by the new key
	a.Settle()
	a.with()
	a.wantOtherKeys()
}

// rotate is the first event of several processes with a key that is new in front: it is
// noted once.
func (a *app) rotate() {
	a.T.Helper()
	used := a.cost(func() {
		var processes errgroup.Group
		for range 3 {
			index := a.Instance(a.Meter.Interceptor())
			processes.Go(func() error { return index.Graph.UseTombstoneKeys(a.T.Context()) })
		}
		if err := processes.Wait(); err != nil {
			a.T.Error(err)
		}
	})
	if used.Writes != 1 {
		a.T.Errorf("to note the newest key costs %v, want one write", used)
	}
}

// Without its key a tombstone is nobody's: a late follow makes documents of the
// account again, which another purge removes for good.
func TestTheKeyOfTombstonesIsLost(t *testing.T) {
	t.Parallel()
	a := deleted(t, oldKey)
	a.with(newKey)
	a.wantOtherKeys()
	a.Must(a.Client.Doc(keysDocument).Delete(t.Context())) // as the error says
	a.wantKeys(1)
	a.lateFollows()
	if len(a.Traces("ada")) == 0 {
		t.Error("a tombstone is known without its key")
	}
	a.WantVerified()
	if err := a.Instance().Accounts.Purge(t.Context(), "ada", "by hand", ""); err != nil {
		t.Fatal(err)
	}
	a.Settle()
	a.WantGone("ada")
	a.lateFollows()
	a.WantGone("ada")
	a.WantVerified()
}

// wantKeys is that a command line and the functions may work, at so many reads for a process: each check is once, of the keys,
// the horizon, the keys of cursors, the stored configuration, and for Feed what deliveries lack.
func (a *app) wantKeys(reads int64) {
	a.T.Helper()
	if err := a.Instance().Graph.CheckTombstoneKeys(a.T.Context()); err != nil {
		a.T.Errorf("a command line: %v", err)
	}
	used := a.cost(func() {
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

// wantOtherKeys is that neither may, but for functions that look for no tombstones.
func (a *app) wantOtherKeys() {
	a.T.Helper()
	if err := a.Instance().Graph.CheckTombstoneKeys(a.T.Context()); !errors.Is(err, followers.ErrOtherKeys) {
		a.T.Errorf("a command line: %v", err)
	}
	for name, want := range map[string]error{
		"OnFollowerWritten": followers.ErrOtherKeys, "OnJobWritten": followers.ErrOtherKeys, triggers.Sweep: nil, triggers.Feed: nil,
	} {
		if err := a.Handlers().Ready(a.T.Context(), name); !errors.Is(err, want) {
			a.T.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

// Where functions began before there was a tombstone, one whose keys are others makes none.
func TestATombstoneByAnotherKeyIsRefused(t *testing.T) {
	t.Parallel()
	a := deleted(t, oldKey)
	a.with() // the default
	a.Profile("eve", map[string]any{"displayName": "Eve"})
	a.Settle()
	before := a.Count("_tombstones")
	a.Must(a.Client.Doc("users/eve").Delete(t.Context()))
	engine := chunker.New(a.Client, chunker.Options{})
	testkit.Until(t, "a purge that says why", func() bool {
		jobs, err := engine.Unfinished(t.Context(), 1)
		return err == nil && len(jobs) > 0 && jobs[0].Error != nil && strings.Contains(jobs[0].Error.Message, "RELATIONINDEX_TOMBSTONE_KEYS")
	})
	if after := a.Count("_tombstones"); after != before {
		t.Errorf("%d tombstones, want %d", after, before)
	}
	a.with(oldKey)
	a.Settle()
	a.WantGone("eve")
}

// A follow looks for two tombstones by each key.
func TestCostOfTombstones(t *testing.T) {
	t.Parallel()
	follow := func(keys ...string) int64 {
		a := newApp(t, config.Functions{TombstoneKeys: keys})
		a.Follow("r1", "author")
		a.Settle()
		return a.cost(func() { a.Follow("r2", "author") }).Reads
	}
	one, two := follow(newKey), follow(newKey, oldKey)
	if one != 8 || two != one+2 {
		t.Errorf("the follow cost %d reads with one key and %d with two, want 8 and 2 more", one, two)
	}
}
