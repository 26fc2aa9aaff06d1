package command

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"example.com/relationindex/followers"
	"example.com/relationindex/schema"
)

// An error about a missing tombstone key contains a line to copy.
func TestWithKey(t *testing.T) {
	db := &Database{Config: schema.Config{NoOwnPosts: true, Project: "my-project", Database: "blue"}, Real: true}
	const line = "\nexport RELATIONINDEX_TOMBSTONE_KEY=\"$(gcloud secrets versions access 1 --secret=relationindex-tombstone-key-blue --project=my-project)\""
	for _, err := range []error{followers.ErrNoKey, followers.ErrOtherKey} {
		if got := db.withKey(err); !errors.Is(got, err) || !strings.HasSuffix(got.Error(), line) {
			t.Errorf("%v, want it to end with %s", got, line)
		}
	}
	other := errors.New("unavailable")
	if got := db.withKey(other); got.Error() != other.Error() {
		t.Errorf("%v, want %v alone", got, other)
	}
	if err := db.withKey(nil); err != nil {
		t.Error(err)
	}
	db.Real = false // an emulator's key is in no secret
	if got := db.withKey(followers.ErrOtherKey); got.Error() != followers.ErrOtherKey.Error() {
		t.Errorf("%v, want %v alone", got, followers.ErrOtherKey)
	}
}

// A project that is written to and that functions never started in may be the wrong one.
func TestWarnsWhereFunctionsNeverStarted(t *testing.T) {
	for what, c := range map[string]struct {
		db    Database
		warns bool
	}{
		"a command that writes": {Database{Real: true, writes: true}, true},
		"a command that reads":  {Database{Real: true}, false},
		"an emulator":           {Database{writes: true}, false},
	} {
		var out bytes.Buffer
		c.db.warn(&out)
		if got := strings.Contains(out.String(), "functions have never started in this database"); got != c.warns {
			t.Errorf("%s: it says %q", what, out.String())
		}
	}
}
