// Package audit_test tests what finds and mends wrong documents: verify, repair, samples, surveys, timelines and horizons.
package audit_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/feed/pages"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// world is a database of a test's own without functions: the test handles events, or nobody does.
type world struct {
	t       *testing.T
	project string
	cfg     schema.Config
	at      time.Time // createdAt of the last post
	*social.System
}

// configs are the layouts of timelines.
var configs = map[string]schema.Config{
	"items":         {NoOwnPosts: true, Feeds: []string{"items"}},
	"buckets of 2":  {NoOwnPosts: true, Feeds: []string{"buckets"}, Bucket: 2},
	"buckets of 50": {NoOwnPosts: true, Feeds: []string{"buckets"}, Bucket: 50},
	"days":          {NoOwnPosts: true, Feeds: []string{"days"}},
}

func newWorld(t *testing.T, cfg schema.Config) *world {
	t.Helper()
	w := &world{t: t, project: testkit.ProjectID(t), cfg: cfg, at: time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)}
	w.System = w.open()
	return w
}

// open is another process.
func (w *world) open(interceptors ...wire.Interceptor) *social.System {
	w.t.Helper()
	return testkit.Index(w.t, w.project, w.cfg, interceptors...)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) set(path string, data map[string]any) {
	w.t.Helper()
	_, err := w.DB.Client.Doc(path).Set(w.t.Context(), data)
	w.must(err)
}

// joins has a reader follow, half an hour after the last post, and handles the event.
func (w *world) joins(audience, reader string) {
	w.t.Helper()
	w.joinsAt(audience, reader, w.at.Add(time.Hour/2))
}

// joinsAt has a reader follow at a time, and handles the event.
func (w *world) joinsAt(audience, reader string, at time.Time) {
	w.t.Helper()
	w.set("users/"+audience+"/followers/"+reader, map[string]any{"createdAt": at})
	w.must(w.Graph.Follow(w.t.Context(), audience, reader))
}

// write writes a post, an hour after the last one, of which nobody hears.
func (w *world) write(author, p string, to ...string) {
	w.t.Helper()
	w.at = w.at.Add(time.Hour)
	w.set("posts/"+p, map[string]any{"userId": author, "audience": author, "hidden": false, "to": to, "createdAt": w.at})
}

// repair repairs all timelines, and wants to bring so many posts.
func (w *world) repair(posts int, brings int64) {
	w.t.Helper()
	c, err := entries.Repair(w.t.Context(), w.Timelines, entries.Options{Posts: posts})
	if w.must(err); c.Posts != brings || c.Unrepaired != 0 {
		w.t.Errorf("with %d posts, it brought %d, want %d; %d timelines are not repaired", posts, c.Posts, brings, c.Unrepaired)
	}
}

// check wants to find these problems, in their order.
func (w *world) check(posts int, want ...string) {
	w.t.Helper()
	got := []string{}
	c, err := entries.Check(w.t.Context(), w.Timelines, entries.Options{Posts: posts, Report: func(p entries.Problem) { got = append(got, p.String()) }})
	w.must(err)
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" || c.Problems != int64(len(got)) {
		w.t.Errorf("problems with %d posts, %d counted (-want +got):\n%s", posts, c.Problems, diff)
	}
}

// wantFeed wants a reader's timeline to have these posts, in the order of their ids.
func (w *world) wantFeed(reader, want string) {
	w.t.Helper()
	listed, err := pages.Newest(w.t.Context(), w.DB, w.Timelines.Layout(), reader, 100)
	w.must(err)
	var got []string
	for _, e := range listed {
		got = append(got, e.Post)
	}
	slices.Sort(got)
	if strings.Join(got, " ") != want {
		w.t.Errorf("the feed of %s is %v, want %s", reader, got, want)
	}
}
