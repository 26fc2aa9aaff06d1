//go:build long

package operations

import (
	"testing"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/audit/repair"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/schema"
)

// textless counts the relations and the items of timelines that do not copy their post's text, and all of them.
func (s *site) textless() (without, all int) {
	s.T.Helper()
	texts := map[string]any{}
	for _, p := range s.all(s.Client.Collection("posts").Query) {
		texts[p.Ref.ID] = p.Data()["text"]
	}
	count := func(post, text any) {
		all++
		if text == nil || text != texts[post.(string)] {
			without++
		}
	}
	for _, r := range s.all(s.Client.Collection("_relations").Query) {
		count(r.Data()["postId"], r.Data()["text"])
	}
	for _, d := range s.all(s.Client.CollectionGroup("timeline").Query) {
		for _, e := range d.Data()["entries"].(map[string]any) {
			fields, _ := e.(map[string]any)["fields"].(map[string]any)
			count(e.(map[string]any)["post"], fields["text"])
		}
	}
	return without, all
}

// repairTimelines runs as the command line does, and ends with the process that death ends.
func (s *site) repairTimelines(death *faults.Death) error {
	s.T.Helper()
	_, err := entries.Repair(s.T.Context(), s.Instance(death.Interceptor()).Timelines, entries.Options{Report: func(entries.Problem) {}})
	return err
}

// Relations and timelines begin to copy a field of posts: those of new posts at once, the others after repair and
// repair-timelines, also if these are killed half-way and run again. docs/fields.md describes this.
func TestAddedCopiedFieldIsRepaired(t *testing.T) {
	t.Parallel()
	const users, followers, posts = 3, 4, 3
	cfg := func(fields ...string) schema.Config {
		return schema.Config{NoOwnPosts: true, Capacity: 2, InlineLimit: 20, Feeds: []string{"relations", "buckets"}, Bucket: 10, Backfill: posts, CopiedFields: fields}
	}
	s := newSite(t, cfg())
	s.deploy(cfg())
	s.settled(users, followers, posts)
	s.Settle()
	s.wantSound()
	without, all := s.textless()
	if without != all || all < users*posts*followers {
		t.Fatalf("%d of %d copies have no text", without, all)
	}

	s.deploy(cfg("text"))
	s.Must(s.Client.Doc("posts/new").Set(t.Context(), post(1000, user(0))))
	s.Settle()
	if left, now := s.textless(); left != without || now <= all {
		t.Errorf("after a new post %d copies of %d have no text, want the %d old ones", left, now, without)
	}

	half := faults.NewDeath(5)
	if _, err := repair.New(s.Instance(half.Interceptor())).Repair(t.Context(), "", nil, nil); err == nil || !half.Died() {
		t.Fatalf("repair was not killed: %v", err)
	}
	between, _ := s.textless()
	_, cost := s.repair()
	relations := s.all(s.Client.Collection("_relations").Query)
	if half = faults.NewDeath(3); s.repairTimelines(half) == nil {
		t.Fatal("repair-timelines was not killed")
	}
	after, _ := s.textless()
	if between >= without || after >= between || after == 0 {
		t.Errorf("copies without text: %d, %d after a killed repair, %d after another and killed repair-timelines", without, between, after)
	}
	if err := s.repairTimelines(faults.NewDeath(0)); err != nil {
		t.Fatal(err)
	}
	if left, _ := s.textless(); left > 0 {
		t.Errorf("%d copies have no text", left)
	}
	t.Logf("%d relations: %v", len(relations), cost)
	if cost.Writes > int64(len(relations)) || cost.Deletes > 0 {
		t.Errorf("repair costs %v for %d relations, want at most a write for each", cost, len(relations))
	}
	s.wantSound()
}
