package chaos

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/relationindex/feed"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/timelines/layout"
)

// A run of a form has everything that readers decide, whatever the seed.
func TestReadersDecideInEachRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := Workload{Seed: rapid.Uint64().Draw(t, "seed"), Ops: ingredientsFrom, Users: 24, Posts: 8, Decides: true, Comments: true}
		ops := w.Operations()
		kinds := map[Kind]int{}
		for _, op := range ops {
			kinds[op.Kind]++
		}
		for _, kind := range append(slices.Clone(readerKinds), Comment) {
			if kinds[kind] == 0 {
				t.Errorf("no %s", kind)
			}
		}
		away, edits, back := atRest(ops, w)
		if len(away) == 0 || len(back) == 0 { // of few accounts, the posts of all may be of such as came back
			t.Errorf("at rest %d operations, %d edits, then %d", len(away), len(edits), len(back))
		}
	})
}

func TestModelHides(t *testing.T) {
	d := decisions{hide: []string{"*/photo", "bob/*", "ann/event", "both/*"}, show: []string{"ann/*", "bob/question", "both/*"}}
	for post, want := range map[string]bool{
		"zoe/photo": true, "zoe/event": false, "zoe/": false, "bob/photo": true, "bob/": true, "bob/question": false,
		"ann/photo": false, "ann/event": true, "ann/": false, "both/": true,
	} {
		author, kind, _ := strings.Cut(post, "/")
		if got := d.hides(author, kind); got != want {
			t.Errorf("%s: hidden is %t, want %t", post, got, want)
		}
	}
}

// What a reader who was left out has to have depends on when they decided, and on when they followed.
func TestMustHaveOfReadersWhoDecide(t *testing.T) {
	post := func(p, kind string) Op {
		return Op{Kind: CreatePost, Author: "alice", Audience: "alice", Post: p, At: day(1), PostKind: kind}
	}
	base := []Op{
		{Kind: Follow, User: "bob", Author: "alice"}, post("old", "event"), post("edited", ""), post("between", "event"), post("new", "event"), post("photo", "photo"),
		{Kind: CreatePost, Author: "carol", Audience: "carol", Post: "named", At: day(4), To: []string{"bob"}},
	}
	s := &stamps{edges: map[string]time.Time{followOf("bob", "alice"): day(10)}, settings: map[string]time.Time{"bob": day(15)}, posts: map[string]stamp{
		"old": {day(8), day(8)}, "edited": {day(8), day(12)}, "between": {day(12), day(12)}, "new": {day(16), day(16)}, "photo": {day(16), day(16)}, "named": {day(8), day(8)},
	}}
	hide := Op{Kind: Decide, User: "bob", Hide: []string{"*/photo"}}
	gone, back := Op{Kind: See, User: "bob", Text: seenLongAgo}, Op{Kind: See, User: "bob", Text: seenNow}
	all := config.Functions{Backfill: allPosts}
	for name, tt := range map[string]struct {
		then []Op
		cfg  config.Functions
		want []string
	}{
		"nothing decided":   {nil, config.Functions{}, []string{"between", "edited", "named", "new", "photo"}},
		"read and seen":     {[]Op{back, {Kind: Read, User: "bob", At: day(1)}}, config.Functions{}, []string{"between", "edited", "named", "new", "photo"}},
		"a kind is hidden":  {[]Op{hide}, config.Functions{}, []string{"between", "named", "new"}},
		"a kind was hidden": {[]Op{hide, {Kind: Decide, User: "bob"}}, config.Functions{}, []string{"between", "named", "new", "photo"}},
		"a kind is hidden, and a follow brings all": {[]Op{hide}, all, []string{"between", "edited", "named", "new", "old"}},
		"idle":                          {[]Op{gone}, config.Functions{}, nil},
		"idle, and a follow brings all": {[]Op{gone}, all, []string{"old"}},
		"back":                          {[]Op{gone, back}, config.Functions{}, []string{"between", "named", "new", "photo"}},
		"back, up to a cap":             {[]Op{gone, back}, config.Functions{Backfill: 5, Cap: 5}, []string{"new", "photo"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := slices.Sorted(maps.Keys(modelOf(append(slices.Clone(base), tt.then...)).mustHave("bob", s, tt.cfg, buckets{})))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The newest posts up to the cap are there after a return, unless they were before.
func TestNewestBack(t *testing.T) {
	ops := []Op{{Kind: Follow, User: "bob", Author: "alice"}}
	s := &stamps{edges: map[string]time.Time{followOf("bob", "alice"): day(1)}, posts: map[string]stamp{}}
	for n, p := range []string{"p1", "p2", "p3", "p4", "p5"} {
		ops = append(ops, Op{Kind: CreatePost, Author: "alice", Audience: "alice", Post: p, At: day(n + 1)})
		s.posts[p] = stamp{day(2), day(2)}
	}
	m := modelOf(ops)
	cfg := config.Functions{Cap: 3, Backfill: 3}
	if got := m.newestBack("bob", s, cfg); got != nil {
		t.Errorf("of a reader who was there: %v", got)
	}
	m.before["bob"] = map[string]bool{"p4": true}
	if got, want := m.newestBack("bob", s, cfg), []string{"p5", "p3"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Where an entry may stand: at a time of the post or of a comment that may have lifted it, and not
// below what certainly has.
func TestPlaceOf(t *testing.T) {
	m := modelOf([]Op{
		{Kind: Follow, User: "bob", Author: "alice"},
		{Kind: Follow, User: "bob", Author: "carol"},
		{Kind: CreatePost, Author: "alice", Audience: "alice", Post: "p", At: day(3)},
		{Kind: Redate, Author: "alice", Post: "p", At: day(2)},
		{Kind: Comment, User: "carol", Post: "p", Text: "early"},
		{Kind: Comment, User: "carol", Post: "p", Text: "sure"},
		{Kind: Comment, User: "zoe", Post: "p", Text: "strange"},
	})
	s := &stamps{
		edges:    map[string]time.Time{followOf("bob", "alice"): day(4), followOf("bob", "carol"): day(4)},
		posts:    map[string]stamp{"p": {day(5), day(6)}},
		comments: map[string]map[string]time.Time{"p": {"early": day(7), "sure": day(10), "strange": day(12)}},
	}
	x := expected{may: map[string]Entry{"p": m.posts["p"].entry}, places: map[string]place{"p": m.placeOf("p", "bob", s, day(8))}}
	for at, ok := range map[int]bool{1: false, 2: false, 3: false, 7: false, 9: false, 10: true, 11: false, 12: false} {
		got := x.compare([]layout.Entry{{Post: "p", At: day(at).UnixMicro()}})
		if (got == "") != ok {
			t.Errorf("on day %d: %q", at, got)
		}
	}
	if p := m.placeOf("p", "bob", s, day(20)); !p.has(day(2)) || !p.has(day(7)) || p.has(day(1)) {
		t.Errorf("an entry that came after the comments is at %v", p)
	}
	m.moved["p"] = true
	if p := m.placeOf("p", "bob", s, day(8)); !p.has(day(10)) || p.has(day(3)) {
		t.Errorf("a post that was for others, before: %v", p)
	}
	s.posts["p"] = stamp{day(5), day(11)}
	if p := m.placeOf("p", "bob", s, day(8)); !p.has(day(3)) || p.has(day(1)) {
		t.Errorf("a post that was perhaps for others: %v", p)
	}
	delete(s.comments["p"], "sure")
	if p := m.placeOf("p", "bob", s, day(8)); !p.has(day(9)) {
		t.Errorf("a comment that is gone: %v", p)
	}
}

func TestMarksAreCompared(t *testing.T) {
	x := expected{may: map[string]Entry{"p": {"p", "", day(1)}}, hidden: map[string]bool{"p": true}}
	e := layout.Entry{Post: "p", At: day(1).UnixMicro()}
	if got := x.compare([]layout.Entry{e}); !strings.Contains(got, "the mark false, want true") {
		t.Errorf("without the mark: %q", got)
	}
	e.Hidden = true
	if got := x.compare([]layout.Entry{e}); got != "" {
		t.Errorf("with the mark: %q", got)
	}
	if x.hidden = nil; x.compare([]layout.Entry{e}) == "" {
		t.Error("a mark that nobody has set")
	}
}

func TestCompareUnread(t *testing.T) {
	m := modelOf([]Op{
		{Kind: CreatePost, Author: "a", Audience: "a", Post: "p", At: day(2)}, {Kind: CreatePost, Author: "a", Audience: "a", Post: "q", At: day(4)},
		{Kind: Read, User: "bob", At: day(3)},
	})
	page := feed.Page{Posts: []feed.Post{{ID: "q"}, {ID: "p"}}}
	for n, ok := range map[int]bool{0: false, 1: true, 2: false} {
		page.Unread = &feed.Unread{Count: n}
		if got := m.compareUnread("bob", page, expected{}); (got == "") != ok {
			t.Errorf("%d: %q", n, got)
		}
	}
	if m.compareUnread("eve", page, expected{}) == "" {
		t.Error("a number without readAt")
	}
	if page.Unread = nil; m.compareUnread("bob", page, expected{}) == "" {
		t.Error("no number")
	}
	x := expected{places: map[string]place{"p": {least: day(2), among: []time.Time{day(2), day(9)}}}}
	for n, ok := range map[int]bool{0: false, 1: true, 2: true} {
		page.Unread = &feed.Unread{Count: n}
		if got := m.compareUnread("bob", page, x); (got == "") != ok {
			t.Errorf("%d of posts that may be lifted: %q", n, got)
		}
	}
}

func TestAnEntryThatFallsIsSeen(t *testing.T) {
	n := 0
	p := newPlaces(50, func(string, ...any) { n++ })
	if len(p.readers) < lookReaders/2 || len(p.readers) > lookReaders {
		t.Errorf("%d readers", len(p.readers))
	}
	for _, look := range []struct {
		created, want int
		at            int64
	}{{1, 0, 5}, {1, 0, 7}, {2, 0, 3}, {2, 1, 2}} {
		if p.see("users/u/timeline/p", day(look.created), look.at); n != look.want {
			t.Errorf("%+v: %d reports", look, n)
		}
	}
}
