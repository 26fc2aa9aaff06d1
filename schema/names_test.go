package schema

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// postNames draws ids as clients may choose them, and those that stand for
// others in names.
func postNames() *rapid.Generator[string] {
	plain := rapid.OneOf(
		rapid.StringOfN(rapid.RuneFrom([]rune("ax_.-~:01")), 1, 128, 128),
		rapid.StringMatching(`[ax]_0000[01](_0000[01])?`),
		rapid.StringMatching(`[ax]~(0000[01]-)?`),
		rapid.StringMatching(`__id[0-9]{1,20}__`),
		rapid.StringOfN(rapid.RuneFrom([]rune("Ax_-09")), hashBytes, hashBytes, hashBytes),
		rapid.Just("__"), rapid.Just("_0"), rapid.Just("x_"),
	)
	return rapid.Custom(func(t *rapid.T) string {
		id := plain.Draw(t, "id")
		// Or what stands in a name for an id, as an id.
		id = rapid.SampledFrom([]string{id, stemOf(RelationID(id, "00001")), RelationID(id, "00001"), strings.TrimPrefix(PostJobs(id), "post:")}).Draw(t, "of it")
		return id
	})
}

// stemOf is the post's part of a relation's id.
func stemOf(name string) string { return name[:strings.LastIndexByte(name, '_')] }

// No two documents have one name, whatever ids clients choose.
func TestNamesMadeOfIDsAreInjective(t *testing.T) {
	keyed := &Database{Config: Config{}.WithDefaults()}
	rapid.Check(t, func(t *rapid.T) {
		a, b := postNames().Draw(t, "a"), postNames().Draw(t, "b")
		if rapid.Bool().Draw(t, "one of the other") {
			b = rapid.SampledFrom([]string{stemOf(RelationID(a, "00001")), hashOf(a), strings.ReplaceAll(hashOf(a), "_", "."), RelationID(a, "00002"), a + "~00001-", a + "~"}).Draw(t, "b of a")
		}
		if a == b {
			return
		}
		for kind, name := range map[string]func(string) string{
			"relation": func(id string) string { return RelationID(id, "00001") },
			"post":     PostJobs,
			"index":    func(id string) string { return IndexJobID(id, "00001") },
			"profile":  ProfileJobID,
			"purge":    func(id string) string { return PurgeJobID(keyed.TombstoneID(id)) },
		} {
			if name(a) == name(b) {
				t.Errorf("%s: %q and %q are both %q", kind, a, b, name(a))
			}
		}
		if RelationID(a, "00001") == RelationID(b, "00002") {
			t.Errorf("%q and %q have a relation of one name", a, b)
		}
		if strings.HasPrefix(PostJobs(a), PostJobs(b)) {
			t.Errorf("the jobs of post %q, %q, begin as those of %q do", a, PostJobs(a), b)
		}
	})
}

// Somebody chooses the id of a group that shares a hash with a victim. With the key of tombstones, which nobody knows,
// their jobs have different owners. An owner is no part of a tombstone, and is the same in each process.
func TestNobodyChoosesOwnerOfJobs(t *testing.T) {
	d := func(key string) *Database { return &Database{Config: Config{TombstoneKey: key}} }
	group, ours := GroupPrefix, d("a-key-of-good-length")
	for n := 0; MarkOf(group) != MarkOf("victim"); n++ {
		group = fmt.Sprint(GroupPrefix, n)
	}
	if owner := ours.OwnerOf("victim"); owner == ours.OwnerOf(group) || owner == ours.TombstoneID("victim")[:3] || owner == d("a-key-of-another").OwnerOf("victim") || len(owner) != 3 {
		t.Errorf("the owner of the victim's jobs is %q, and of %s's %q", owner, group, ours.OwnerOf(group))
	}
	if owner := d("a-key-of-good-length").OwnerOf(group); owner != ours.OwnerOf(group) || ours.OwnerOf("") != "" {
		t.Errorf("the owner of the group's jobs is %q and %q", owner, ours.OwnerOf(group))
	}
}

// The relations of a post have no other's between them: what a post costs does not
// depend on the ids of others.
func TestNamesOfRelationsKeepTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := postNames().Draw(t, "p"), postNames().Draw(t, "q")
		if rapid.Bool().Draw(t, "a tail") {
			q = p + rapid.StringMatching(`_[0-9]{1,5}(_[0-9]{1,5})?`).Draw(t, "tail")
		}
		i := IndexID(rapid.IntRange(1, MaxIndexDocuments).Draw(t, "index document"))
		first, last, other := RelationID(p, "0"), RelationID(p, ":"), RelationID(q, i)
		if p != q && first <= other && other <= last {
			t.Errorf("%q of post %q stands between the relations of %q", other, q, p)
		}
		if own := RelationID(p, i); own < first || own > last {
			t.Errorf("%q is not between %q and %q", own, first, last)
		}
	})
}
