package processes_test

import (
	"strings"
	"testing"

	"example.com/relationindex/emulator/chaos"
	"example.com/relationindex/emulator/weather"
	"example.com/relationindex/local/processes"
	"example.com/relationindex/schema"
)

const project = "demo-dev-test"

func TestOptionsAreChecked(t *testing.T) {
	tests := map[string]struct {
		options processes.Options
		want    string
	}{
		"no project":         {processes.Options{}, `project ""`},
		"project with slash": {processes.Options{Project: "a/b"}, `project "a/b"`},
		"port":               {processes.Options{Project: project, FirestorePort: 70000}, "firestore port 70000"},
		"same web port":      {processes.Options{Project: project, WebPort: 8080, FunctionsPort: 8080}, "functions port and web port are both 8080"},
		"web port":           {processes.Options{Project: project, WebPort: -1}, "web port -1"},
		"same port":          {processes.Options{Project: project, FirestorePort: 8080, FunctionsPort: 8080}, "must differ"},
		"workers":            {processes.Options{Project: project, Workers: 17}, "workers 17"},
		"chaos":              {processes.Options{Project: project, Chaos: chaos.Rates{Drop: 2}}, "Chaos.Drop = 2"},
		"weather":            {processes.Options{Project: project, Weather: &weather.Options{Building: -1}}, "weather: Building = -1ns"},
		"pause":              {processes.Options{Project: project, SweepEvery: -1}, "sweep every -1ns"},
		"rules":              {processes.Options{Project: project, Functions: schema.Config{NoOwnPosts: true, Posts: "notes"}}, "firestore.rules has no match /notes/{"},
		"capacity":           {processes.Options{Project: project, Functions: schema.Config{NoOwnPosts: true, Capacity: 10_001}}, "RELATIONINDEX_CAPACITY=10001"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := processes.Start(t.Context(), tt.options); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Start: %v, want %q", err, tt.want)
			}
		})
	}
}

func TestServeChecksBeforeItServes(t *testing.T) {
	t.Setenv("GOOGLE_CLOUD_PROJECT", "")
	if err := processes.Serve(t.Context(), 8080); err == nil || !strings.Contains(err.Error(), "GOOGLE_CLOUD_PROJECT") {
		t.Errorf("Serve without a project: %v", err)
	}
	if err := processes.Serve(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "port 0") {
		t.Errorf("Serve on port 0: %v", err)
	}
	for _, args := range [][]string{nil, {"--port"}, {"--port", "x"}, {"--host", "1"}} {
		if err := processes.ServeArgs(t.Context(), args); err == nil {
			t.Errorf("ServeArgs(%q) succeeded", args)
		}
	}
}
