package feed_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/feed"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/oracle"
)

// form is a source of pages, over a database of its own that is prepared once.
type form struct {
	name, source string
	cfg          schema.Config
	silent       bool // functions hear of nothing after the database is prepared: entries stay behind their posts
	plans        int  // readings
}

const topic = "topic"

var (
	bySettings = schema.Config{Capacity: 2, Backfill: 1000, ReaderSettings: true, CopiedFields: []string{"text"}}
	forms      = []form{
		{"relations", feed.SourceRelations, schema.Config{Capacity: 2}, false, 25},
		{"relations that are behind", feed.SourceRelations, schema.Config{NoOwnPosts: true, Capacity: 2}, true, 60},
		{"relations up to a horizon", feed.SourceRelations, schema.Config{Capacity: 2, Horizon: 24 * time.Hour}, false, 40},
		{"pull", feed.SourcePull, schema.Config{NoOwnPosts: true}, false, 25},
		{"pull of filled posts and own posts", feed.SourcePull, schema.Config{PostsFilled: true}, true, 40},
		{"items", feed.SourceTimeline, with(bySettings, "items", 0), false, 25},
		{"items that are behind", feed.SourceTimeline, with(bySettings, "items", 0), true, 30},
		{"buckets of 3", feed.SourceTimeline, with(bySettings, "buckets", 3), false, 40},
		{"buckets of 50 that are behind", feed.SourceTimeline, with(bySettings, "buckets", 50), true, 30},
		{"days", feed.SourceTimeline, with(bySettings, "days", 0), false, 25},
	}
)

func with(cfg schema.Config, layout string, bucket int) schema.Config {
	cfg.Feeds, cfg.Bucket = []string{"relations", layout}, bucket
	return cfg
}

// world is a prepared database, and what clients wrote there.
type world struct {
	form
	*testkit.App
	start time.Time
	past  *oracle.History           // what clients wrote to prepare it
	docs  map[string]map[string]any // their documents, prepared
	feed  *firestore.Client         // whose requests pause sees
	pause pause
	keys  *feed.Keys
	order []string // of what ada reads at rest
}

// pause calls do once, before so many requests more.
type pause struct {
	mu   sync.Mutex
	left int
	do   func()
}

func (p *pause) sent(any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left--; p.left == 0 && p.do != nil {
		p.do()
		p.do = nil
	}
}

// The people and groups of a world. Ada reads; zoe is named by few and follows a closed group.
var people = map[string]map[string]any{
	"users/ada": {"name": "Ada"}, "users/zoe": {"name": "Zoe"}, "users/bob": {"name": "Bob"}, "users/cat": {"name": "Cat", "closed": true},
	"users/dan": {"name": "Dan", "closed": true}, "users/troll": {"name": "Troll"}, "users/odd": {"name": "Odd", "closed": "yes"},
	"users/g_team": {"name": "Team", "ownerId": "bob", "closed": false}, "users/g_club": {"name": "Club", "ownerId": "bob", "closed": true},
	"users/g_mine": {"name": "Mine", "ownerId": "ada", "closed": true}, "users/g_gone": {"ownerId": "bob"},
}

type fields = map[string]any

// kinds are all posts that differ in who may read them. They are bob's for his followers unless the fields say otherwise.
var kinds = []fields{
	{}, {"audience": nil, "hidden": nil}, {"audience": "g_team"}, {"audience": "g_club", "userId": "dan"}, {"userId": "cat", "audience": "cat"},
	{"to": []any{"ada", "zoe"}}, {"userId": "dan", "audience": "", "to": []any{"zoe", "ada"}}, {"audience": "g_team", "userId": "dan", "to": []any{"ada"}},
	{"userId": "troll", "audience": "g_team"}, {"userId": "troll", "audience": "g_team", "to": []any{"ada"}}, {"userId": "troll", "audience": "troll", "to": []any{"ada"}},
	{"userId": "dan", "audience": "dan"}, {"hidden": true}, {"to": []any{"ada"}, "hidden": true}, {"userId": "ada", "audience": "ada"},
	{"userId": "ada", "audience": ""}, {"userId": "ada", "audience": "g_team"}, {"userId": "ada", "hidden": true}, {"audience": ""}, {"audience": "g_mine"}, {"audience": "g_gone"},
	{"audience": "dan"}, {"userId": "zoe", "audience": "g_never", "to": []any{"ada"}}, {"userId": "odd", "audience": "odd"},
	// What a damaged field says gives nobody access.
	{"audience": 7}, {"audience": 7, "to": []any{"ada"}}, {"audience": "g_a/b"}, {"userId": "a/b", "audience": "g_team"}, {"userId": nil, "audience": "g_team"},
	{"hidden": "true"}, {"userId": "dan", "audience": "", "to": "ada"}, {"userId": "dan", "to": []any{"ada", 7}, "audience": ""}, {"userId": "dan", "to": []any{"a/b", "ada"}, "audience": ""},
	{"userId": "dan", "audience": "", "to": append(many(100), "ada")}, {"userId": "dan", "audience": "", "to": append(many(99), "ada")}, {"refs": topic}, {"refs": []any{"top"}},
}

// undated have no time that orders them. Only sources that read posts leave them out.
var undated = []fields{{"createdAt": "2026"}, {"createdAt": nil}, {"createdAt": 7}}

// many returns ids of people who are not there.
func many(n int) (ids []any) {
	for i := range n {
		ids = append(ids, fmt.Sprintf("u%03d", i))
	}
	return ids
}

// at is the time of a slot. Several posts share one; others are a microsecond apart. Around a horizon, the first are younger
// than it, the next have relations that Feed does not rely on, and the last have none.
func (w *world) at(slot int) time.Time {
	if w.cfg.Horizon == 0 {
		return w.start.Add(-time.Duration(slot/2)*200*time.Minute + time.Duration(slot%2)*time.Microsecond)
	}
	at := w.start.Add(-w.cfg.Horizon + time.Duration(6-slot)*2*time.Minute)
	if slot > 9 {
		at = at.Add(-schema.HorizonMargin * 2)
	}
	return at
}

const slots = 14

// post is the fields of a post of a kind.
func (w *world) post(kind fields, slot int) fields {
	post := fields{"userId": "bob", "audience": "bob", "hidden": false, "createdAt": w.at(slot), "refs": []any{"other", topic}, "text": "first"}
	maps.Copy(post, kind)
	maps.DeleteFunc(post, func(_ string, v any) bool { return v == nil })
	return post
}

// id is the id of the n-th post. Some ids look like those of relations of others, or are as long as ids may be.
func id(n int) string {
	switch n % 8 {
	case 1, 2, 3:
		return fmt.Sprintf("p%02d_%05d", n-n%8, n%8)
	case 5:
		return fmt.Sprintf("p%02d%0697d", n, n) // 700 characters
	default:
		return fmt.Sprintf("p%02d", n)
	}
}

func newWorld(t *testing.T, f form) *world {
	t.Helper()
	w := &world{form: f, start: noon, past: &oracle.History{}, docs: maps.Clone(people)}
	if w.App = testkit.NewApp(t, f.cfg); f.cfg.Horizon > 0 {
		w.start = time.Now().Truncate(time.Microsecond)
		w.StoreHorizon(schema.Horizon{Feed: f.cfg.Horizon, Kept: f.cfg.Horizon})
	}
	w.feed = testkit.Open(t, w.ID, testkit.SeeRequests(w.pause.sent))
	for _, follow := range [][2]string{{"bob", "ada"}, {"cat", "ada"}, {"g_team", "ada"}, {"bob", "zoe"}, {"g_club", "zoe"}, {"bob", "dan"}, {"g_team", "dan"}, {"odd", "dan"}} {
		w.docs["users/"+follow[0]+"/followers/"+follow[1]] = fields{"createdAt": noon.AddDate(-1, 0, 0)}
	}
	w.docs["users/ada/blocked/troll"] = fields{"createdAt": noon}
	testkit.Write(t, w.Client, w.docs)
	w.Settle()
	all := slices.Concat(kinds, kinds)
	if f.source == feed.SourcePull || f.source == feed.SourceSlice {
		all = append(all, undated...)
	}
	posts := map[string]map[string]any{}
	for n, kind := range all {
		posts["posts/"+id(n)] = w.post(kind, n*5%slots)
	}
	if f.cfg.PostsFilled {
		maps.DeleteFunc(posts, func(_ string, post fields) bool { return post["audience"] == nil })
	}
	testkit.Write(t, w.Client, posts)
	maps.Copy(w.docs, posts)
	w.Settle()
	for n, path := range slices.Sorted(maps.Keys(w.docs)) {
		w.past.Write(path, noon.AddDate(-1, 1, 0).Add(time.Duration(n)*time.Second), w.docs[path])
	}
	w.past.Rest(noon.AddDate(-1, 2, 0))
	if f.silent {
		w.Silence()
	}
	if f.silent && f.source == feed.SourceRelations {
		w.twice()
	}
	return w
}

// twice gives ada some relations twice, as while she moves between two index documents of an author.
func (w *world) twice() {
	docs, err := feed.Query(w.Client, "ada").Documents(w.T.Context()).GetAll()
	if err != nil {
		w.T.Fatal(err)
	}
	again := map[string]map[string]any{}
	for n, doc := range docs {
		for _, index := range []string{"00000", "00077"}[:n%3] {
			if name := schema.RelationID(doc.Data()["postId"].(string), index); doc.Data()["audience"] != "" {
				again["_relations/"+name] = doc.Data()
			}
		}
	}
	testkit.Write(w.T, w.Client, again)
}

// set writes documents of clients, or deletes them, and waits until functions have done what they do.
func (w *world) set(docs map[string]map[string]any) error {
	var errs []error
	for _, path := range slices.Sorted(maps.Keys(docs)) {
		var err error
		if docs[path] == nil {
			_, err = w.Client.Doc(path).Delete(context.Background())
		} else {
			_, err = w.Client.Doc(path).Set(context.Background(), docs[path])
		}
		errs = append(errs, err)
	}
	if !w.silent && len(docs) > 0 {
		errs = append(errs, w.System.Idle(context.Background()))
	}
	return errors.Join(errs...)
}
