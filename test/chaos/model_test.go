package chaos

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func day(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }

func TestModelIsTheJoin(t *testing.T) {
	follow := func(f, u string) Op { return Op{Kind: Follow, User: f, Author: u} }
	post := func(u, p string, at int) Op {
		return Op{Kind: CreatePost, Author: u, Post: p, At: day(at), Text: p + " of " + u, Audience: u}
	}
	entry := func(p, text string, at int) Entry { return Entry{Post: p, Text: text, CreatedAt: day(at)} }
	a1, a2, c1 := entry("a1", "a1 of alice", 1), entry("a2", "a2 of alice", 3), entry("c1", "c1 of carol", 2)
	toGroup := Op{Kind: Readdress, Author: "alice", Post: "a2", Audience: "g_x"}
	toBob := Op{Kind: Direct, Author: "alice", Post: "a2", To: []string{"bob"}}
	base := []Op{post("alice", "a1", 1), follow("bob", "alice"), post("alice", "a2", 3), post("carol", "c1", 2), follow("bob", "carol")}
	tests := map[string]struct {
		then []Op
		want []Entry // bob's feed
	}{
		"posts of before and after the follow, newest first": {nil, []Entry{
			entry("a2", "a2 of alice", 3), entry("c1", "c1 of carol", 2), entry("a1", "a1 of alice", 1),
		}},
		"unfollow": {[]Op{{Kind: Unfollow, User: "bob", Author: "alice"}}, []Entry{entry("c1", "c1 of carol", 2)}},
		"a block":  {[]Op{{Kind: Block, User: "bob", Author: "alice"}}, []Entry{entry("c1", "c1 of carol", 2)}},
		"a block that is taken back, and a follow": {
			[]Op{{Kind: Block, User: "bob", Author: "carol"}, {Kind: Unblock, User: "bob", Author: "carol"}, follow("bob", "carol"), {Kind: Unfollow, User: "bob", Author: "alice"}},
			[]Entry{entry("c1", "c1 of carol", 2)},
		},
		"another time": {[]Op{{Kind: Redate, Author: "alice", Post: "a1", At: day(9)}}, []Entry{
			entry("a1", "a1 of alice", 9), entry("a2", "a2 of alice", 3), entry("c1", "c1 of carol", 2),
		}},
		"another text": {[]Op{{Kind: Reword, Author: "carol", Post: "c1", Text: "new"}}, []Entry{
			entry("a2", "a2 of alice", 3), entry("c1", "new", 2), entry("a1", "a1 of alice", 1),
		}},
		"given to someone whom nobody follows": {[]Op{{Kind: Reassign, Author: "alice", NewAuthor: "dave", Post: "a2", Audience: "dave"}}, []Entry{
			entry("c1", "c1 of carol", 2), entry("a1", "a1 of alice", 1),
		}},
		"given to someone else whom bob follows": {
			[]Op{{Kind: Reassign, Author: "alice", NewAuthor: "carol", Post: "a2", Audience: "carol"}, {Kind: Unfollow, User: "bob", Author: "alice"}},
			[]Entry{entry("a2", "a2 of alice", 3), entry("c1", "c1 of carol", 2)},
		},
		"a post deleted":                             {[]Op{{Kind: DeletePost, Author: "carol", Post: "c1"}}, []Entry{entry("a2", "a2 of alice", 3), entry("a1", "a1 of alice", 1)}},
		"the author deleted":                         {[]Op{{Kind: DeleteAccount, User: "alice"}}, []Entry{entry("c1", "c1 of carol", 2)}},
		"the reader deleted":                         {[]Op{{Kind: DeleteAccount, User: "bob"}}, nil},
		"a post given away survives":                 {[]Op{{Kind: Reassign, Author: "alice", NewAuthor: "carol", Post: "a2", Audience: "carol"}, {Kind: DeleteAccount, User: "alice"}}, []Entry{entry("a2", "a2 of alice", 3), entry("c1", "c1 of carol", 2)}},
		"given away with the audience of its author": {[]Op{{Kind: Reassign, Author: "alice", NewAuthor: "carol", Post: "a2"}}, []Entry{c1, a1}},
		"an audience of nobody":                      {[]Op{{Kind: Readdress, Author: "alice", Post: "a2"}}, []Entry{c1, a1}},
		"to a group that bob does not follow":        {[]Op{toGroup}, []Entry{c1, a1}},
		"to a group that bob follows":                {[]Op{toGroup, follow("bob", "g_x")}, []Entry{a2, c1, a1}},
		"to a group that is deleted":                 {[]Op{toGroup, follow("bob", "g_x"), {Kind: DeleteAccount, User: "g_x"}}, []Entry{c1, a1}},
		"hidden":                                     {[]Op{{Kind: Hide, Author: "alice", Post: "a2"}}, []Entry{c1, a1}},
		"shown again":                                {[]Op{{Kind: Hide, Author: "alice", Post: "a2"}, {Kind: Show, Author: "alice", Post: "a2"}}, []Entry{a2, c1, a1}},
		"to bob":                                     {[]Op{toGroup, toBob}, []Entry{a2, c1, a1}},
		"to bob, hidden":                             {[]Op{toBob, {Kind: Hide, Author: "alice", Post: "a2"}}, []Entry{c1, a1}},
		"to bob, whom its author follows":            {[]Op{toGroup, toBob, follow("alice", "bob")}, []Entry{a2, c1, a1}},
		"to bob, who blocks its author":              {[]Op{toGroup, toBob, {Kind: Block, User: "alice", Author: "bob"}}, []Entry{c1, a1}},
		"to bob and no longer":                       {[]Op{toGroup, toBob, {Kind: Direct, Author: "alice", Post: "a2"}}, []Entry{c1, a1}},
		"bob's own, to himself":                      {[]Op{post("bob", "b1", 9), {Kind: Direct, Author: "bob", Post: "b1", To: []string{"bob"}}}, []Entry{a2, c1, a1}},
		"a request":                                  {[]Op{post("dave", "d1", 9), {Kind: Request, User: "bob", Author: "dave"}}, []Entry{a2, c1, a1}},
		"a request that is accepted": {
			[]Op{post("dave", "d1", 9), {Kind: Request, User: "bob", Author: "dave"}, {Kind: Accept, User: "bob", Author: "dave"}},
			[]Entry{entry("d1", "d1 of dave", 9), a2, c1, a1},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := modelOf(append(base, tt.then...))
			if diff := cmp.Diff(tt.want, m.Feed("bob")); diff != "" {
				t.Errorf("feed (-want +got):\n%s", diff)
			}
		})
	}
}

// Authors see their own posts where that is configured, unless these are hidden.
func TestModelOfOwnPosts(t *testing.T) {
	m := modelOf([]Op{
		{Kind: CreatePost, Author: "alice", Post: "a1", At: day(1), Audience: "g_x"},
		{Kind: CreatePost, Author: "alice", Post: "a2", At: day(2)},
		{Kind: Hide, Author: "alice", Post: "a2"},
	})
	for own, want := range map[bool]int{false: 0, true: 1} {
		if m.own = own; len(m.Feed("alice")) != want {
			t.Errorf("own posts %v: feed is %v, want %d", own, m.Feed("alice"), want)
		}
	}
}

func TestCompareFeeds(t *testing.T) {
	a, b, c := Entry{"a", "x", day(3)}, Entry{"b", "x", day(2)}, Entry{"c", "x", day(1)}
	want := []Entry{a, b, c}
	tests := map[string]struct {
		got  []Entry
		want string // part of what it says; "": no difference
	}{
		"the same":       {[]Entry{a, b, c}, ""},
		"another order":  {[]Entry{b, a, c}, "at 0: b"},
		"one missing":    {[]Entry{a, b}, "at 2: nothing more, want c"},
		"one twice":      {[]Entry{a, a, b, c}, "4 posts, want 3; at 1: a"},
		"one too many":   {[]Entry{a, b, c, c}, "at 3: c"},
		"another time":   {[]Entry{{"a", "x", day(4)}, b, c}, "2026-01-04"},
		"another text":   {[]Entry{{"a", "y", day(3)}, b, c}, `"y"`},
		"nothing at all": {nil, "0 posts, want 3"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := CompareFeeds(tt.got, want)
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("CompareFeeds: %q, want %q", got, tt.want)
			}
		})
	}
}
