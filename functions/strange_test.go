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
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// Whatever id stands anywhere: each event is acknowledged, none rings an alert, all others get what
// is theirs, and each check and repair comes to its end.
func TestStrangeIDsStopNobody(t *testing.T) {
	t.Parallel()
	for name, cfg := range testkit.CasesByName(t, map[string]config.Functions{
		"items":                {Timeline: "items", Ranked: true},
		"buckets alone":        {Timeline: "buckets", RelationsOff: true},
		"days, by jobs":        {Timeline: "days", InlineLimit: 1, Chunk: 1},
		"relations with pulls": {Horizon: schema.MaxHorizon, AuthorFields: []string{"name=authorName"}, RefFields: []string{"name=refNames"}},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if cfg.OwnPosts = true; cfg.Timeline != "" {
				cfg.Backfill, cfg.ReaderSettings = 100, true
			}
			log := new(syncBuffer)
			a := newAppOn(t, testkit.InProcess{Logger: logging.New(log, slog.LevelInfo), Custom: []func(*schema.Options){func(o *schema.Options) {
				o.Deliveries = []schema.Delivery{testkit.Notes()}
			}}}, cfg)
			for _, u := range []string{"author", "other", "r1", "r2"} {
				a.Profile(u, map[string]any{"name": u})
			}
			a.followSince("r1", "author", day.Add(-time.Hour))
			a.followSince("r2", "other", day.Add(-time.Hour))
			a.Settle()
			a.PostTo("good", "author", "author", day)
			refused := testkit.WriteStrange(t, a.Client, day)
			a.Settle()
			a.deliverUnsent(t)
			a.Settle()
			a.PostTo("better", "author", "author", day.Add(time.Hour))
			a.Settle()
			a.wantQuiet(log.String())
			a.deliverRefused(t, refused, log)
			a.wantNeighbours(cfg)

			index := a.Instance()
			if !cfg.RelationsOff {
				a.WantVerified()
				if _, err := repair.New(index).Repair(t.Context(), "", nil, nil); err != nil {
					t.Errorf("repair: %v", err)
				}
			}
			if cfg.Timeline != "" {
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
			a.wantNeighbours(cfg)
			for _, id := range testkit.Strange() {
				_, _ = a.Client.Collection("users").Doc(id).Delete(t.Context()) // Firestore refuses some
			}
			a.Settle()
			a.DeleteAccount("other")
			a.Settle()
			a.wantQuiet(log.String())
			err := index.Accounts.Traces(t.Context(), "other", func(trace accounts.Trace) {
				if !strings.Contains(trace.Document, "/blocked/") {
					t.Errorf("other is named by %v", trace)
				}
			}, nil)
			if err != nil {
				t.Error(err)
			}
			if cfg.Timeline == "" {
				return
			}
			if got := a.timelinePosts("r1"); !slices.Contains(got, "better") || !slices.Contains(got, "good") {
				t.Errorf("the timeline of r1 is %.300q", got)
			}
		})
	}
}

// timelinePosts are the posts in a reader's timeline.
func (a *app) timelinePosts(reader string) (ids []string) {
	a.T.Helper()
	for _, e := range a.timeline(reader) {
		ids = append(ids, e.Post)
	}
	return ids
}

// wantQuiet checks that each run of a function ended well.
func (a *app) wantQuiet(log string) {
	a.T.Helper()
	for line := range strings.Lines(log) {
		if strings.Contains(line, `"severity":"ERROR"`) || strings.Contains(line, `"outcome":"failed"`) || strings.Contains(line, `"outcome":"dropped"`) {
			a.T.Errorf("the log has %.400s", line)
		}
	}
}

// wantNeighbours checks that those with ordinary ids have what is theirs.
func (a *app) wantNeighbours(cfg config.Functions) {
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
	if cfg.Timeline != "" {
		feeds["timeline"] = a.timelinePosts
	}
	if !cfg.RelationsOff {
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
func (a *app) deliverUnsent(t *testing.T) {
	a.T.Helper()
	for name, id := range testkit.Strange() {
		for _, d := range testkit.StrangeDocuments(name, id, day) {
			path := strings.Join(d.Path, "/")
			if !strings.Contains(path, "\n") {
				continue
			}
			for _, function := range a.functionsOf(d) {
				if err := a.Handlers().Function(function)(a.T.Context(), eventOf(t, a.ID, path)); err != nil {
					a.T.Errorf("%s asks for %q again: %v", function, path, err)
				}
			}
		}
	}
}

// functionsOf returns the functions that get the events of a document.
func (a *app) functionsOf(d testkit.StrangeDocument) (names []string) {
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
func (a *app) deliverRefused(t *testing.T, refused []testkit.StrangeDocument, log *syncBuffer) {
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
			if err := a.Handlers().Function(trigger.Name)(a.T.Context(), eventOf(t, a.ID, path)); err != nil {
				a.T.Errorf("%s asks for %.60q again: %v", trigger.Name, path, err)
			}
			a.wantQuiet(log.String())
		}
	}
}
