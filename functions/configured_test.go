package functions_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"example.com/relationindex/functions"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/configured"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// Functions store their configuration before their first event. Feed only reads it, and reports what
// pages lack. Each process reads it once.
func TestReadyStoresTheConfiguration(t *testing.T) {
	t.Parallel()
	project := testkit.ProjectID(t)
	start := func(function string, cfg schema.Config) (text string, used wire.Counts) {
		t.Helper()
		meter := &wire.Meter{}
		var log bytes.Buffer
		cfg.Logger = logging.New(&log, slog.LevelInfo)
		h, err := functions.New(testkit.Open(t, project, meter.Interceptor()), cfg)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := h.Ready(t.Context(), function); err != nil {
				t.Fatal(err)
			}
		}
		return log.String(), meter.Counts()
	}
	want := func(cfg schema.Config) {
		t.Helper()
		stored, err := configured.Read(t.Context(), testkit.Open(t, project))
		if err != nil || len(config.Differences(stored.Variables, config.Stored(cfg))) > 0 {
			t.Errorf("%v is stored, %v", stored.Variables, err)
		}
	}
	plain, timelines := schema.Config{NoOwnPosts: true, Project: project}, schema.Config{NoOwnPosts: true, Project: project, Feeds: []string{"relations", "items"}, Horizon: 0}
	start(triggers.Sweep, plain)
	want(plain)
	// The horizon is read too, by functions without one; the keys of cursors; and the brake.
	if text, used := start(triggers.Sweep, plain); text != "" || used.Reads != 4 || used.Writes != 0 {
		t.Errorf("a start where nothing is new: %+v, %s", used, text)
	}
	if text, used := start(triggers.Feed, timelines); text != "" || used.Reads != 1 || used.Writes != 0 {
		t.Errorf("a start of Feed: %+v, %s", used, text)
	}
	want(plain)
	if text, used := start(triggers.Sweep, timelines); !strings.Contains(text, "relationindex repair") || used.Reads != 4 || used.Writes != 1 {
		t.Errorf("a start with timelines: %+v, %s", used, text)
	}
	want(timelines)
	if text, _ := start(triggers.Feed, timelines); !strings.Contains(text, `"severity":"WARNING"`) || !strings.Contains(text, "timelines may lack posts") {
		t.Errorf("Feed says %s", text)
	}
}
