// Package deliverytest_test runs the suite of deliverytest, and breaks deliveries to see it fail.
package deliverytest_test

import (
	"testing"

	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// A delivery that has nothing in common with relations keeps every promise.
func TestEntries(t *testing.T) {
	t.Parallel()
	suite(t, sound).Run(t)
}

// A promise is worth nothing that no broken delivery breaks.
func TestSuiteFindsBrokenDeliveries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		broken  fault
		promise string
	}{
		"a follow brings no posts":                 {forgetsBackfill, "a follow that comes"},
		"a removal does not read the follow again": {removesBlindly, "an unfollow that is late for a new follow"},
		"a fan-out does not read the post again":   {readsOnce, "a post that is late for its deletion"},
		"a failed read is an empty answer":         {dropsReads, "a post whose reads fail"},
		"a deleted account stays in feeds":         {forgetsAuthors, "an author's deleted account that comes"},
		"an audience that was stays":               {keepsAudience, "another group that comes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, p := range suite(t, c.broken).Promises(t) {
				if p.Name != c.promise {
					continue
				}
				err := p.Check(t)
				if err == nil {
					t.Errorf("%q is kept", p.Name)
				}
				t.Log(err)
				return
			}
			t.Errorf("there is no promise %q", c.promise)
		})
	}
}
