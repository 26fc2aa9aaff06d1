package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// at is so many minutes after the start.
func at(minute float64) time.Time { return start.Add(time.Duration(minute * float64(time.Minute))) }

// past is what clients write, one each minute unless it is told.
type past struct {
	History
	minute float64
}

func (p *past) next() time.Time { p.minute++; return at(p.minute) }

func (p *past) wait(minutes float64) *past { p.minute += minutes; return p }

func (p *past) rest() *past { p.Rest(p.next()); return p }

// follows makes bob's follow of an audience; createdAt is the server's time, or so many minutes.
func (p *past) follows(audience string, created ...float64) *past {
	now := p.next()
	f := now
	if len(created) > 0 {
		f = at(created[0])
	}
	p.Write("users/"+audience+"/followers/bob", now, map[string]any{"createdAt": f})
	return p
}

func (p *past) unfollows(audience string) *past {
	p.Delete("users/"+audience+"/followers/bob", p.next())
	return p
}

// joins gives bob a profile.
func (p *past) joins() *past { return p.writes("users/bob", map[string]any{"name": "Bob"}) }

// posts makes a post of ann's, or changes it.
func (p *past) posts(id string, created float64, fields ...any) *past {
	data := map[string]any{"userId": "ann", "audience": "ann", "hidden": false, "createdAt": at(created), "text": "text of " + id}
	for pair := range slices.Chunk(fields, 2) {
		data[pair[0].(string)] = pair[1]
	}
	p.Write("posts/"+id, p.next(), data)
	return p
}

func (p *past) deletes(path string) *past { p.Delete(path, p.next()); return p }

func (p *past) writes(path string, fields map[string]any) *past {
	p.Write(path, p.next(), fields)
	return p
}

func (p *past) blocks(account string) *past {
	return p.writes("users/bob/blocked/"+account, map[string]any{})
}

// says is what bob must have, and what else he may: "a b ?c".
func (p *past) says(c Config) string {
	var all []string
	for id, post := range New(&p.History, c, p.next()).Reader("bob").Posts {
		if !post.Must {
			id = "?" + id
		}
		all = append(all, id)
	}
	slices.SortFunc(all, func(a, b string) int { return strings.Compare(strings.Trim(a, "?"), strings.Trim(b, "?")) })
	return strings.Join(all, " ")
}

func TestMustAndMay(t *testing.T) {
	toBob := []any{"to", []any{"bob"}}
	for name, tt := range map[string]struct {
		past *past
		cfg  Config
		want string
	}{
		"what is younger than the follow, less the margin": {
			new(past).wait(9).follows("ann").posts("a", 11).posts("b", 5.1).posts("c", 5).posts("d", -60), Config{}, "a b",
		},
		"written before the follow":              {new(past).posts("a", 1).posts("b", -60).follows("ann"), Config{}, "a"},
		"a post of tomorrow":                     {new(past).posts("a", 24*60).follows("ann"), Config{}, "a"},
		"an imported follow":                     {new(past).posts("a", -60).posts("b", -300).follows("ann", -100), Config{}, "a"},
		"all":                                    {new(past).posts("a", -60).follows("ann").posts("b", -300), Config{All: true}, "a b"},
		"the newest two":                         {new(past).posts("a", -10).posts("b", -20).posts("c", -30).follows("ann"), Config{Backfill: 2}, "a b"},
		"newest, beside what must":               {new(past).posts("a", 1).posts("b", -20).posts("c", -30).follows("ann"), Config{Backfill: 1}, "a ?b"},
		"newest for a time":                      {new(past).posts("b", -20).follows("ann").posts("a", -10), Config{Backfill: 1}, "?a ?b"},
		"newest in an earlier life":              {new(past).posts("b", -20).posts("a", -10).follows("ann").deletes("posts/a").rest().posts("c", -5).posts("a", -10), Config{Backfill: 1}, "?b ?c"},
		"newest of each createdAt":               {new(past).posts("a", -110).posts("b", -50).follows("ann", -100).follows("ann"), Config{Backfill: 1}, "?a b"},
		"hidden":                                 {new(past).follows("ann").posts("a", 1, "hidden", true), Config{}, ""},
		"hidden and shown":                       {new(past).follows("ann").posts("a", 1).posts("a", 1, "hidden", true).posts("a", 1), Config{}, "a"},
		"deleted":                                {new(past).follows("ann").posts("a", 1).deletes("posts/a"), Config{}, ""},
		"of no author":                           {new(past).follows("ann").posts("a", 1, "userId", 7), Config{}, ""},
		"of no time":                             {new(past).follows("ann").posts("a", 1, "createdAt", "now"), Config{}, ""},
		"to another's followers":                 {new(past).follows("ann").posts("a", 1, "audience", "carl"), Config{}, ""},
		"to a group":                             {new(past).follows("g_x").posts("a", 1, "audience", "g_x"), Config{}, "a"},
		"to nobody":                              {new(past).follows("ann").posts("a", 1, "audience", ""), Config{}, ""},
		"unfollowed":                             {new(past).follows("ann").posts("a", 1).unfollows("ann"), Config{}, ""},
		"unfollowed, and kept":                   {new(past).follows("ann").posts("a", 1).posts("b", -60).unfollows("ann"), Config{Keep: true}, "?a"},
		"written before an unfollow is handled":  {new(past).follows("ann").unfollows("ann").posts("a", 1).rest().posts("b", 2), Config{Keep: true}, "?a"},
		"kept, of whom the reader blocks":        {new(past).follows("ann").posts("a", 1).blocks("ann"), Config{Keep: true}, ""},
		"kept, of who blocks the reader":         {new(past).follows("ann").posts("a", 1).writes("users/ann/blocked/bob", map[string]any{}), Config{Keep: true}, ""},
		"kept, of who had blocked the reader":    {new(past).follows("ann").posts("a", 1).outlasts(), Config{Keep: true}, "?a"},
		"by name":                                {new(past).joins().posts("a", -60, toBob...), Config{}, "a"},
		"by a name that does not exist":          {new(past).posts("a", -60, toBob...), Config{}, "?a"},
		"by a name that came after it":           {new(past).posts("a", -60, toBob...).joins().posts("a", -60, toBob...), Config{}, "?a"},
		"by the name of who blocks":              {new(past).posts("a", 1, toBob...).blocks("ann"), Config{}, ""},
		"of who was blocked":                     {new(past).joins().posts("a", 1, toBob...).blocks("ann").deletes("users/bob/blocked/ann"), Config{}, "a"},
		"of who had been blocked":                {new(past).joins().blocks("ann").deletes("users/bob/blocked/ann").posts("a", 1, toBob...), Config{}, "a"},
		"to a group, of the blocked":             {new(past).follows("g_x").blocks("ann").posts("a", 1, "audience", "g_x", "to", []any{"bob"}), Config{}, ""},
		"so, by relations":                       {new(past).follows("g_x").blocks("ann").posts("a", 1, "audience", "g_x", "to", []any{"bob"}), Config{All: true, Groups: true}, "a"},
		"own":                                    {new(past).posts("a", -60, "userId", "bob", "audience", ""), Config{Own: true}, "a"},
		"own, but not shown":                     {new(past).posts("a", -60, "userId", "bob", "audience", "bob", "to", []any{"bob"}), Config{}, ""},
		"of whom the reader followed and blocks": {new(past).follows("ann").posts("a", 1).blocks("ann"), Config{}, ""},
		"a follow that a block ended": {
			new(past).follows("ann").posts("a", 1).writes("users/ann/blocked/bob", map[string]any{}), Config{}, "",
		},
		"a refollow that nobody noticed": {new(past).follows("ann", -100).posts("a", -60).unfollows("ann").follows("ann"), Config{}, "?a"},
		"a refollow after a rest":        {new(past).follows("ann", -100).posts("a", -60).unfollows("ann").rest().follows("ann"), Config{}, ""},
		"moved from one audience to another": {
			new(past).follows("ann", -100).follows("g_x").posts("a", -60).posts("a", -60, "audience", "g_x"), Config{}, "?a",
		},
		"moved to an audience that is followed": {new(past).follows("g_x").posts("a", -60).posts("a", -60, "audience", "g_x"), Config{}, ""},
		"dated back":                            {new(past).follows("ann").posts("a", 1).posts("a", -60), Config{}, "?a"},
		"dated anew":                            {new(past).follows("ann").posts("a", -60).posts("a", 3), Config{}, "a"},
		"of a kind that is left out": {
			new(past).follows("ann").posts("a", 1, "kind", "photo").posts("b", 1).writes("users/bob/settings/feed", map[string]any{"hide": []any{"*/photo"}}),
			Config{Settings: true}, "b",
		},
		"idle": {
			new(past).follows("ann").posts("a", 1).writes("users/bob/settings/feed", map[string]any{"seenAt": at(-300)}), Config{Settings: true, Idle: time.Hour}, "?a",
		},
		"expired": {new(past).wait(200).follows("ann", 1).posts("a", 1).posts("b", 190), Config{Expire: time.Hour}, "?a b"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.past.says(tt.cfg); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// shown is an entry as the post is.
func shown(id string, minute float64) Entry {
	return Entry{Post: id, At: at(minute), Shows: map[string]string{"text": "text of " + id}}
}

// commented has so many strangers comment on a.
func commented(p *past, strangers int) *past {
	for n := range strangers {
		p.writes(fmt.Sprintf("posts/a/comments/%d", n), map[string]any{"userId": fmt.Sprintf("stranger%d", n)})
	}
	return p
}

func TestJudge(t *testing.T) {
	text := func(fields map[string]any) map[string]string {
		return map[string]string{"text": fmt.Sprint(fields["text"])}
	}
	cfg := Config{Shows: text, Settings: true}
	three := func() *past { return new(past).follows("ann").posts("a", 4).posts("b", 3).posts("c", 2) }
	capped := Config{Cap: 2, Shows: text}
	ranked, rankedCapped := Config{Ranked: true, Shows: text}, Config{Ranked: true, Cap: 2, Shows: text}
	queried := Config{All: true, Groups: true, Shows: text}
	comment := map[string]any{"userId": "carl"}
	inGroup := map[string]any{"userId": "carl", "audience": "g_x"}
	lifts := func(p *past) *past { return p.writes("posts/a/comments/x", inGroup) }
	group := []any{"audience", "g_x"}
	groupAndBob := []any{"audience", "g_x", "to", []any{"bob"}}
	talk := func() *past { return lifts(new(past).posts("a", 0, group...).follows("g_x")) }
	marked := shown("b", 3)
	marked.Hidden = true
	reworded := shown("b", 3)
	reworded.Shows = map[string]string{"text": "x"}
	early, late := shown("b", 3), shown("a", 4)
	early.Bucket, late.Bucket = 2, 1
	for name, tt := range map[string]struct {
		past *past
		cfg  Config
		got  []Entry
		want string // parts of differences, by ";"
	}{
		"right":                     {three(), cfg, []Entry{shown("a", 4), shown("b", 3), shown("c", 2)}, ""},
		"missing":                   {three(), cfg, []Entry{shown("a", 4), shown("c", 2)}, "b (2026-03-01T12:03:00Z) is missing, though they follow ann"},
		"missing after a decision":  {three().writes("users/bob/settings/feed", map[string]any{}), cfg, []Entry{shown("a", 4), shown("c", 2)}, "and what they decided last, at 2026-03-01T12:05:00Z, does not hide it"},
		"twice":                     {three().deletes("posts/c"), cfg, []Entry{shown("a", 4), shown("b", 3), shown("b", 3)}, "b is there twice"},
		"gone":                      {three().deletes("posts/c"), cfg, []Entry{shown("a", 4), shown("b", 3), shown("c", 2)}, "c is there, though the post is gone"},
		"never written":             {new(past), cfg, []Entry{shown("a", 4)}, "though no such post"},
		"of a stranger":             {new(past).posts("a", 4), cfg, []Entry{shown("a", 4)}, "never been among its audience"},
		"too old":                   {new(past).follows("ann").posts("a", -60), cfg, []Entry{shown("a", -60)}, "older than the follow"},
		"by the name of who blocks": {new(past).posts("a", 4, "to", []any{"bob"}).blocks("ann"), cfg, []Entry{shown("a", 4)}, "who blocks its author ann"},
		"of who follows and blocks": {new(past).follows("ann").posts("a", 4, "to", []any{"bob"}).blocks("ann"), cfg, []Entry{shown("a", 4)}, "who blocks its author ann"},
		"in a query, blocked later": {new(past).posts("a", 4, "to", []any{"bob"}).blocks("ann"), queried, []Entry{shown("a", 4)}, "who blocks its author ann"},
		"blocked before":            {new(past).blocks("ann").posts("a", 4, "to", []any{"bob"}), queried, []Entry{shown("a", 4)}, "who blocks its author ann"},
		"after an unfollow":         {three().unfollows("ann"), cfg, []Entry{shown("a", 4)}, "has not been among its audience since"},
		"what settings hide":        {new(past).follows("ann").posts("a", 4).writes("users/bob/settings/feed", map[string]any{"hide": []any{"ann/*"}}), cfg, []Entry{shown("a", 4)}, "hides ann/"},
		"another text":              {three(), cfg, []Entry{shown("a", 4), reworded, shown("c", 2)}, `shows text "x", want "text of b"`},
		"another time":              {three(), cfg, []Entry{shown("a", 4), shown("b", 3.5), shown("c", 2)}, "where nothing put it"},
		"an earlier time":           {three(), cfg, []Entry{shown("a", 4), shown("b", 2.5), shown("c", 2)}, "want 2026-03-01T12:03:00Z at least"},
		"another order":             {three(), cfg, []Entry{shown("b", 3), shown("a", 4), shown("c", 2)}, "a (2026-03-01T12:04:00Z) comes after b"},
		"buckets in their order":    {new(past).follows("ann").posts("a", 4).posts("b", 3), cfg, []Entry{early, late}, ""},
		"a mark that nobody made":   {three(), cfg, []Entry{shown("a", 4), marked, shown("c", 2)}, "has the mark true, want false"},
		"a mark":                    {three().writes("users/bob/hidden/b", map[string]any{}), cfg, []Entry{shown("a", 4), marked, shown("c", 2)}, ""},
		"below the cap":             {three(), capped, []Entry{shown("a", 4), shown("b", 3)}, ""},
		"not the newest":            {three(), capped, []Entry{shown("a", 4), shown("c", 2)}, "b (2026-03-01T12:03:00Z) is missing"},
		"newer ones are gone":       {three().deletes("posts/a"), capped, []Entry{shown("b", 3)}, ""},
		"newer ones were gone":      {new(past).follows("ann").posts("a", 4).posts("b", 3).deletes("posts/a").rest().posts("c", 2), capped, []Entry{shown("b", 3)}, "c (2026-03-01T12:02:00Z) is missing"},
		"lifted":                    {three().follows("carl").writes("posts/c/comments/x", comment), ranked, []Entry{shown("c", 6), shown("a", 4), shown("b", 3)}, ""},
		"lifted before the follow":  {three().writes("posts/c/comments/x", comment).follows("carl"), ranked, []Entry{shown("c", 5), shown("a", 4), shown("b", 3)}, ""},
		"need not be lifted":        {three().writes("posts/c/comments/x", comment).follows("carl"), ranked, []Entry{shown("a", 4), shown("b", 3), shown("c", 2)}, ""},
		"not lifted":                {three().follows("carl").rest().writes("posts/c/comments/x", comment), ranked, []Entry{shown("a", 4), shown("b", 3), shown("c", 2)}, "c stands at 2026-03-01T12:02:00Z, want 2026-03-01T12:07:00Z at least"},
		"before the follow's event": {three().follows("carl").writes("posts/c/comments/x", comment), ranked, []Entry{shown("a", 4), shown("b", 3), shown("c", 2)}, ""},
		"lifted by a stranger":      {three().writes("posts/c/comments/x", comment), ranked, []Entry{shown("c", 5), shown("a", 4), shown("b", 3)}, "where nothing put it"},
		"a comment that went lifts": {three().follows("carl").writes("posts/c/comments/x", comment).deletes("posts/c/comments/x"), ranked, []Entry{shown("c", 6), shown("a", 4), shown("b", 3)}, ""},

		// No rest lies between the follow and the comment.
		"of a group, not lifted by the follow": {talk(), ranked, []Entry{shown("a", 0)}, "a stands at 2026-03-01T12:00:00Z, want 2026-03-01T12:03:00Z at least"},
		"of a group, lifted by the follow":     {talk(), ranked, []Entry{shown("a", 3)}, ""},
		"the comment was before the follow":    {lifts(new(past).posts("a", 0, group...)).follows("g_x"), ranked, []Entry{shown("a", 0)}, ""},
		"of its author, not lifted":            {new(past).posts("a", 0).follows("ann").writes("posts/a/comments/x", map[string]any{"userId": "ann"}), ranked, []Entry{shown("a", 0)}, "want 2026-03-01T12:03:00Z at least"},
		"written after the follow":             {lifts(new(past).follows("g_x").posts("a", 2, group...)), ranked, []Entry{shown("a", 2)}, "want 2026-03-01T12:03:00Z at least"},
		"hidden and shown, not lifted":         {lifts(new(past).posts("a", 0, group...).follows("g_x").posts("a", 0, "audience", "g_x", "hidden", true).posts("a", 0, group...)), ranked, []Entry{shown("a", 0)}, "want 2026-03-01T12:05:00Z at least"},
		"it came by name, too":                 {lifts(new(past).posts("a", 0, groupAndBob...).follows("g_x")), ranked, []Entry{shown("a", 0)}, ""},
		"it came by name once":                 {lifts(new(past).posts("a", 0, groupAndBob...).posts("a", 0, group...).follows("g_x")), ranked, []Entry{shown("a", 0)}, ""},
		"it came by another audience":          {lifts(new(past).follows("ann").posts("a", 0).posts("a", 0, group...).follows("g_x")), ranked, []Entry{shown("a", 0)}, ""},
		"it is the reader's":                   {lifts(new(past).posts("a", 0, "userId", "bob", "audience", "g_x").follows("g_x")), ranked, []Entry{shown("a", 0)}, ""},
		"it came by an earlier follow":         {lifts(new(past).posts("a", 0, group...).follows("g_x").unfollows("g_x").follows("g_x")), ranked, []Entry{shown("a", 0)}, ""},
		"the follow was written again":         {lifts(new(past).posts("a", 0, group...).follows("g_x").follows("g_x")), ranked, []Entry{shown("a", 0)}, ""},
		"it may have been pushed out":          {talk(), rankedCapped, []Entry{shown("a", 0)}, ""},
		"others comment too much":              {commented(talk(), 5), ranked, []Entry{shown("a", 0)}, ""},
		"others comment less":                  {commented(talk(), 4), ranked, []Entry{shown("a", 0)}, "want 2026-03-01T12:03:00Z at least"},
	} {
		t.Run(name, func(t *testing.T) {
			got := New(&tt.past.History, tt.cfg, tt.past.next()).Reader("bob").Judge(tt.got)
			want := strings.Split(tt.want, ";")
			if tt.want == "" {
				want = nil
			}
			if len(got) != len(want) {
				t.Fatalf("%q, want %q", got, want)
			}
			for n := range want {
				if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, want[n]) }) {
					t.Errorf("%q, want %q", got, want[n])
				}
			}
		})
	}
}

// outlasts has ann block bob, who follows her, and take it back.
func (p *past) outlasts() *past {
	return p.follows("ann").writes("users/ann/blocked/bob", map[string]any{}).deletes("users/ann/blocked/bob")
}

// End checks the final documents. It reports each one that no client wrote and no rule explains.
func TestEnd(t *testing.T) {
	outlasted := map[string]map[string]any{"users/ann/followers/bob": {"createdAt": at(1)}}
	post := map[string]any{"userId": "ann", "audience": "ann", "createdAt": at(1), "to": []any{"carl", "bob"}}
	with := func(field string, value any) map[string]any {
		data := maps.Clone(post)
		data[field] = value
		return data
	}
	for name, tt := range map[string]struct {
		past *past
		docs map[string]map[string]any
		want []string
	}{
		"as it was":                      {new(past).writes("posts/a", post), map[string]map[string]any{"posts/a": post}, nil},
		"a field of functions":           {new(past).writes("posts/a", post), map[string]map[string]any{"posts/a": with("authorName", "Ann")}, nil},
		"lost":                           {new(past).writes("posts/a", post), nil, []string{"posts/a is gone, and nobody deleted it"}},
		"changed":                        {new(past).writes("posts/a", post), map[string]map[string]any{"posts/a": with("audience", "")}, []string{"posts/a has audience , and its client wrote ann"}},
		"back":                           {new(past).writes("posts/a", post).deletes("posts/a"), map[string]map[string]any{"posts/a": post}, []string{"posts/a is there, and was deleted"}},
		"of a deleted account":           {new(past).writes("posts/a", post).deletes("users/ann"), nil, nil},
		"a follow of a deleted account":  {new(past).follows("ann").deletes("users/ann"), nil, nil},
		"a follow that a block ends":     {new(past).follows("ann").writes("users/ann/blocked/bob", map[string]any{}), map[string]map[string]any{"users/ann/blocked/bob": {}}, nil},
		"a follow that outlasts a block": {new(past).outlasts(), outlasted, []string{"users/ann/followers/bob is there, and was deleted"}},
		"a follow that outlasts a block whose event was lost": {(&past{History: History{Lossy: true}}).outlasts(), outlasted, nil},
		"a follow that nobody ended":                          {new(past).follows("ann"), nil, []string{"users/ann/followers/bob is gone, and nobody deleted it"}},
		"a name of a deleted account":                         {new(past).writes("posts/a", post).deletes("users/carl"), map[string]map[string]any{"posts/a": with("to", []any{"bob"})}, nil},
		"a name of who is there":                              {new(past).writes("posts/a", post), map[string]map[string]any{"posts/a": with("to", []any{"carl"})}, []string{"posts/a has to [carl], and its client wrote [carl bob]"}},
		"a comment on what is gone":                           {new(past).writes("posts/a/comments/x", map[string]any{}), nil, nil},
		"settings of who is there":                            {new(past).writes("users/bob/settings/feed", map[string]any{}), nil, []string{"users/bob/settings/feed is gone, and nobody deleted it"}},
		"settings of a deleted account":                       {new(past).writes("users/bob/settings/feed", map[string]any{}).deletes("users/bob"), nil, nil},
		"a time, decoded in another way":                      {new(past).writes("posts/a", post), map[string]map[string]any{"posts/a": with("createdAt", at(1).Local())}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			now := tt.past.next()
			if diff := cmp.Diff(tt.want, tt.past.End(now, tt.docs)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string(nil), tt.past.End(now, tt.docs)); diff != "" {
				t.Errorf("the second time (-want +got):\n%s", diff)
			}
		})
	}
}

// A change at the end of the history counts as made.
func TestChangesAtEndOfHistoryCount(t *testing.T) {
	p := new(past).follows("ann").posts("a", 1).writes("posts/b", map[string]any{}).deletes("users/ann")
	now := p.next()
	p.End(now, map[string]map[string]any{"posts/b": {}})
	if got := New(&p.History, Config{}, now).Reader("bob").Posts; len(got) > 0 {
		t.Errorf("%v of who is gone", got)
	}
}

// The time at which a purge deleted a post is unknown: another post may have become one of the newest since.
func TestPostDeletedAtUnknownTimeIsOptional(t *testing.T) {
	inGroup := func(author string) []any { return []any{"userId", author, "audience", "g_x"} }
	p := new(past).follows("g_x").posts("a", -10, inGroup("ann")...).posts("b", -20, inGroup("carl")...).deletes("users/ann").posts("c", -5, inGroup("carl")...)
	docs := map[string]map[string]any{}
	for _, path := range []string{"users/g_x/followers/bob", "posts/b", "posts/c"} {
		docs[path] = last(p.docs[path]).fields
	}
	if wrong := p.End(p.next(), docs); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	if got := p.says(Config{Backfill: 1}); got != "?b ?c" {
		t.Errorf("%s", got)
	}
}

// draw draws a history of a reader, two people and a group.
func draw(t *rapid.T) *past {
	p := new(past)
	for range rapid.IntRange(1, 40).Draw(t, "n") {
		account := rapid.SampledFrom([]string{"ann", "carl", "g_x"}).Draw(t, "account")
		id := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}).Draw(t, "post")
		created := float64(rapid.IntRange(-30, 50).Draw(t, "created"))
		author := rapid.SampledFrom([]string{"ann", "carl", "bob"}).Draw(t, "author")
		switch rapid.IntRange(0, 9).Draw(t, "what") {
		case 0, 1:
			p.follows(account)
		case 2:
			p.unfollows(account)
		case 3:
			p.rest()
		case 4:
			p.deletes("posts/" + id)
		case 5:
			p.blocks(author)
		case 6:
			p.deletes("users/bob/blocked/" + author)
		case 7:
			p.posts(id, created, "userId", author, "audience", "g_x")
		case 8:
			p.posts(id, created, "userId", author, "audience", author, "to", []any{"bob"})
		default:
			p.posts(id, created, "userId", author, "audience", author)
		}
	}
	return p
}

func drawConfig(t *rapid.T) Config {
	return Config{Backfill: rapid.IntRange(0, 4).Draw(t, "backfill"), Own: rapid.Bool().Draw(t, "own"), Keep: rapid.Bool().Draw(t, "keep")}
}

// A timeline with all optional entries is right, and so is one with only the required ones. One entry less is wrong.
func TestJudgeAcceptsOptionalEntries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, cfg := draw(t), drawConfig(t)
		r := New(&p.History, cfg, p.next()).Reader("bob")
		var all, least []Entry
		for _, post := range r.Sorted() {
			e := Entry{Post: post.ID, At: post.CreatedAt}
			if all = append(all, e); post.Must {
				least = append(least, e)
			}
		}
		for _, got := range [][]Entry{all, least} {
			if wrong := r.Judge(got); len(wrong) > 0 {
				t.Fatalf("%v: %q", got, wrong)
			}
		}
		if len(least) > 0 && len(r.Judge(least[1:])) != 1 {
			t.Fatalf("%v is not missed", least[0])
		}
	})
}

// A larger backfill makes more due, and lets more be there; a cap makes nothing due that was not.
func TestConfigurationsAreOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, cfg := draw(t), drawConfig(t)
		now := p.next()
		less := New(&p.History, cfg, now).Reader("bob")
		cfg.Backfill++
		more := New(&p.History, cfg, now).Reader("bob")
		cfg.All = true
		all := New(&p.History, cfg, now).Reader("bob")
		for id, post := range less.Posts {
			if _, ok := more.Posts[id]; !ok || post.Must && !more.Posts[id].Must {
				t.Fatalf("%s with less: %+v, with more: %+v", id, post, more.Posts[id])
			}
		}
		for id, post := range more.Posts {
			if _, ok := all.Posts[id]; !ok {
				t.Fatalf("%+v, but not of all", post)
			}
		}
	})
}

// A timeline that keeps the newest arrivals, and trims at any time, is right with a cap.
func TestJudgeAcceptsTimelineTrimmedToCap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, most := &past{}, rapid.IntRange(1, 4).Draw(t, "cap")
		p.follows("ann")
		kept := map[string]float64{}
		for n := range rapid.IntRange(0, 30).Draw(t, "n") {
			if len(kept) > 0 && rapid.IntRange(0, 3).Draw(t, "deletes") == 0 {
				id := rapid.SampledFrom(slices.Sorted(maps.Keys(kept))).Draw(t, "gone")
				delete(kept, id)
				p.deletes("posts/" + id)
				continue
			}
			id, created := fmt.Sprintf("p%02d", n), float64(rapid.IntRange(-3, 60).Draw(t, "created"))
			p.posts(id, created)
			kept[id] = created
			for len(kept) > most {
				oldest := slices.MinFunc(slices.Sorted(maps.Keys(kept)), func(a, b string) int {
					return cmpFirst(int(kept[a]-kept[b]), strings.Compare(a, b))
				})
				delete(kept, oldest)
			}
			if rapid.Bool().Draw(t, "rests") {
				p.rest()
			}
		}
		var got []Entry
		for id, created := range kept {
			got = append(got, Entry{Post: id, At: at(created)})
		}
		slices.SortFunc(got, func(a, b Entry) int { return cmpFirst(b.At.Compare(a.At), strings.Compare(b.Post, a.Post)) })
		if wrong := New(&p.History, Config{Cap: most}, p.next()).Reader("bob").Judge(got); len(wrong) > 0 {
			t.Fatalf("%v: %q", got, wrong)
		}
	})
}

func cmpFirst(a, b int) int {
	if a != 0 {
		return a
	}
	return b
}
