//go:build long

package functions_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/accounts"
	timelineentries "example.com/relationindex/audit/entries"
	"example.com/relationindex/audit/repair"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// With strange ids in any place, each event is acknowledged, no alert fires, all other readers get their
// posts, and each check and repair ends.
func TestStrangeIDsBlockNobody(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]schema.Config{
		"items":                {NoOwnPosts: true, Feeds: []string{"relations", "items"}, Ranked: true},
		"buckets alone":        {NoOwnPosts: true, Feeds: []string{"buckets"}},
		"days, by jobs":        {NoOwnPosts: true, Feeds: []string{"relations", "days"}, InlineLimit: 1, Chunk: 1},
		"relations with pulls": {NoOwnPosts: true, Horizon: schema.MaxHorizon, AuthorFields: []string{"name=authorName"}, RefFields: []string{"name=refNames"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if cfg.NoOwnPosts = false; cfg.Timeline() != "" {
				cfg.Backfill, cfg.ReaderSettings = 100, true
			}
			cfg.Deliveries = []schema.Delivery{testkit.Notes()}
			log := new(testkit.SyncBuffer)
			a := testkit.InProcess{Logger: logging.New(log, slog.LevelInfo)}.NewApp(t, cfg)
			for _, u := range []string{"author", "other", "r1", "r2"} {
				a.Profile(u, map[string]any{"name": u})
			}
			a.FollowSince("r1", "author", stories.Day.Add(-time.Hour))
			a.FollowSince("r2", "other", stories.Day.Add(-time.Hour))
			a.Settle()
			a.PostTo("good", "author", "author", stories.Day)
			refused := testkit.WriteStrange(t, a.Client, stories.Day)
			a.Settle()
			deliverUnsent(a, t)
			a.Settle()
			a.PostTo("better", "author", "author", stories.Day.Add(time.Hour))
			a.Settle()
			wantQuiet(a, log.String())
			deliverRefused(a, t, refused, log)
			wantNeighbours(a, cfg)

			index := a.Instance()
			if cfg.Relations() {
				a.WantVerified()
				if _, err := repair.New(index).Repair(t.Context(), "", nil, nil); err != nil {
					t.Errorf("repair: %v", err)
				}
			}
			if cfg.Timeline() != "" {
				report := func(p timelineentries.Problem) { t.Errorf("timelines: %v", p) }
				for what, run := range map[string]func() (timelineentries.Checked, error){
					"verify": func() (timelineentries.Checked, error) {
						return timelineentries.Check(t.Context(), index.Timelines, timelineentries.Options{Report: report})
					},
					"repair": func() (timelineentries.Checked, error) {
						return timelineentries.Repair(t.Context(), index.Timelines, timelineentries.Options{Report: report})
					},
				} {
					if counts, err := run(); err != nil || counts.Timelines < 2 {
						t.Errorf("%s of timelines: %+v, %v", what, counts, err)
					}
				}
			}
			wantNeighbours(a, cfg)
			for _, id := range testkit.Strange() {
				_, _ = a.Client.Collection("users").Doc(id).Delete(t.Context()) // Firestore refuses some
			}
			a.Settle()
			a.DeleteAccount("other")
			a.Settle()
			wantQuiet(a, log.String())
			err := index.Accounts.Traces(t.Context(), "other", func(trace accounts.Trace) {
				if !strings.Contains(trace.Document, "/blocked/") {
					t.Errorf("other is named by %v", trace)
				}
			}, nil)
			if err != nil {
				t.Error(err)
			}
			if cfg.Timeline() == "" {
				return
			}
			if got := timelinePosts(a, "r1"); !slices.Contains(got, "better") || !slices.Contains(got, "good") {
				t.Errorf("the timeline of r1 is %.300q", got)
			}
		})
	}
}

// timelinePosts are the posts in a reader's timeline.
func timelinePosts(a *testkit.App, reader string) (ids []string) {
	a.T.Helper()
	for _, e := range a.Timeline(reader) {
		ids = append(ids, e.Post)
	}
	return ids
}

// wantQuiet checks that each run of a function ended well.
func wantQuiet(a *testkit.App, log string) {
	a.T.Helper()
	for line := range strings.Lines(log) {
		if strings.Contains(line, `"severity":"ERROR"`) || strings.Contains(line, `"outcome":"failed"`) || strings.Contains(line, `"outcome":"dropped"`) {
			a.T.Errorf("the log has %.400s", line)
		}
	}
}

// wantNeighbours checks that those with ordinary ids have what is theirs.
func wantNeighbours(a *testkit.App, cfg schema.Config) {
	a.T.Helper()
	var named []string // posts that name r2
	for name := range testkit.Strange() {
		post := "to-" + strings.NewReplacer(" ", "-", ",", "").Replace(name)
		if doc, err := a.Client.Doc("posts/" + post).Get(a.T.Context()); err == nil && doc.Exists() {
			named = append(named, post)
		}
	}
	if len(named) < 10 {
		a.T.Errorf("only %q name r2", named)
	}
	feeds := map[string]func(string) []string{}
	if cfg.Timeline() != "" {
		feeds["timeline"] = func(reader string) []string { return timelinePosts(a, reader) }
	}
	if cfg.Relations() {
		feeds["relations"] = a.Feed
	}
	for what, feed := range feeds {
		if got := feed("r1"); cfg.Horizon == 0 && (!slices.Contains(got, "good") || !slices.Contains(got, "better")) {
			a.T.Errorf("%s: r1 has %.300q", what, got)
		}
		got := feed("r2")
		for _, p := range named {
			if !slices.Contains(got, p) {
				a.T.Errorf("%s: r2 lacks %s", what, p)
			}
		}
	}
}

// deliverUnsent sends the events of documents whose ids have line breaks: the emulator sends none.
func deliverUnsent(a *testkit.App, t *testing.T) {
	a.T.Helper()
	for name, id := range testkit.Strange() {
		for _, d := range testkit.StrangeDocuments(name, id, stories.Day) {
			path := strings.Join(d.Path, "/")
			if !strings.Contains(path, "\n") {
				continue
			}
			for _, function := range functionsOf(a, d) {
				if err := a.Handlers().Function(function)(a.T.Context(), testkit.EventOf(t, a.ID, path)); err != nil {
					a.T.Errorf("%s asks for %q again: %v", function, path, err)
				}
			}
		}
	}
}

// functionsOf returns the functions that get the events of a document.
func functionsOf(a *testkit.App, d testkit.StrangeDocument) (names []string) {
	for _, trigger := range triggers.Events(a.Config) {
		if isOf(trigger, d) && !strings.HasSuffix(trigger.EventType, "deleted") {
			names = append(names, trigger.Name)
		}
	}
	return names
}

// isOf reports whether a document is one of those that a trigger is for.
func isOf(trigger triggers.Trigger, d testkit.StrangeDocument) bool {
	pattern := strings.Split(trigger.Document, "/")
	if len(pattern) != len(d.Path) {
		return false
	}
	for n, segment := range pattern {
		if !strings.HasPrefix(segment, "{") && segment != d.Path[n] {
			return false
		}
	}
	return true
}

// deliverRefused sends the events of documents that Firestore refuses, should it ever take them.
func deliverRefused(a *testkit.App, t *testing.T, refused []testkit.StrangeDocument, log *testkit.SyncBuffer) {
	a.T.Helper()
	for _, d := range refused {
		path := strings.Join(d.Path, "/")
		if strings.ToValidUTF8(path, "") != path {
			continue // no event can have it
		}
		for _, trigger := range triggers.Events(a.Config) {
			if !isOf(trigger, d) {
				continue
			}
			log.Reset()
			if err := a.Handlers().Function(trigger.Name)(a.T.Context(), testkit.EventOf(t, a.ID, path)); err != nil {
				a.T.Errorf("%s asks for %.60q again: %v", trigger.Name, path, err)
			}
			wantQuiet(a, log.String())
		}
	}
}
