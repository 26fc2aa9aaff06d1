package functions_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/testkit"
)

// keys are lists of tombstones' keys before and after a rotation.
const oldKey, newKey = "the-old-key-of-tombstones", "the-new-key-of-tombstones"

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
		if strings.HasPrefix(path, "_tombstones/") {
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
	a.with(newKey, oldKey)
	a.lateFollows()
	a.WantGone("ada")
	a.Profile("eve", map[string]any{"displayName": "Eve"})
	a.Follow("eve", "star")
	a.Settle()
	a.DeleteAccount("eve")
	a.Settle()
	a.with(newKey) // the old key is taken away: hers was made by the new one
	a.Follow("bob", "eve")
	a.Follow("eve", "star")
	a.Settle()
	a.WantGone("eve")
	a.WantVerified()
}

// Without its key a tombstone is nobody's: a late follow makes documents of the
// account again, which another purge removes for good.
func TestTheKeyOfTombstonesIsLost(t *testing.T) {
	t.Parallel()
	a := deleted(t, oldKey)
	a.with(newKey)
	a.lateFollows()
	if len(a.Traces("ada")) == 0 {
		t.Error("a tombstone is known without its key")
	}
	a.WantVerified()
	if err := a.Instance().Purge(t.Context(), "ada", "by hand", ""); err != nil {
		t.Fatal(err)
	}
	a.Settle()
	a.WantGone("ada")
	a.lateFollows()
	a.WantGone("ada")
	a.WantVerified()
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
