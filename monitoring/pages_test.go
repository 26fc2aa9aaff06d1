package monitoring

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const playbooks = "../docs/playbooks"

// names are the files of a pattern, without folder and ending.
func names(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(files), err)
	}
	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	return files
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Whom an alert wakes finds the page in it, and the page says what to do.
func TestEachAlertHasItsPage(t *testing.T) {
	alerts := names(t, "alerts/*.json")
	index := read(t, filepath.Join(playbooks, "README.md"))
	for _, name := range alerts {
		var policy struct {
			DisplayName   string
			Documentation struct{ Content string }
			UserLabels    map[string]string
		}
		if err := json.Unmarshal([]byte(read(t, "alerts/"+name+".json")), &policy); err != nil {
			t.Fatal(err)
		}
		if policy.DisplayName != "DEPLOYMENT: "+name || policy.UserLabels["relationindex"] != "DEPLOYMENT" {
			t.Errorf("%s is called %q, and labelled %v", name, policy.DisplayName, policy.UserLabels)
		}
		if !strings.Contains(policy.Documentation.Content, "docs/playbooks/"+name+".md") {
			t.Errorf("%s does not name its page: %s", name, policy.Documentation.Content)
		}
		page := read(t, filepath.Join(playbooks, name+".md"))
		at := 0
		for _, part := range []string{"# " + name + "\n", "**What it means.**", "**Who is hurt.**", "**Look.**", "```", "**Fix.**", "**Over when**"} {
			i := strings.Index(page[at:], part)
			if i < 0 {
				t.Errorf("the page of %s has no %q, or not in this order", name, part)
				continue
			}
			at += i
		}
		if !strings.Contains(index, "["+name+"]("+name+".md)") {
			t.Errorf("the index does not list %s", name)
		}
	}
	for _, name := range names(t, filepath.Join(playbooks, "*.md")) {
		if name != "README" && !slices.Contains(alerts, name) {
			t.Errorf("page %s is of no alert", name)
		}
	}
}

// Metrics of ours that are asked for exist, with the labels by which they are asked for;
// others are the platform's.
func TestMetricsThatAreAskedForExist(t *testing.T) {
	metrics := map[string]string{} // by name: the file
	for _, name := range names(t, "metrics/*.json") {
		text := read(t, "metrics/"+name+".json")
		if !strings.Contains(text, `"name": "DEPLOYMENT/`+name+`"`) {
			t.Errorf("metric %s has another name", name)
		}
		metrics[name] = text
	}
	// As cloud.google.com/monitoring/api/metrics_gcp lists them.
	platform := []string{
		"run.googleapis.com/request_count", "run.googleapis.com/request_latencies", "run.googleapis.com/container/instance_count",
		"pubsub.googleapis.com/subscription/oldest_unacked_message_age",
		"firestore.googleapis.com/document/read_ops_count", "firestore.googleapis.com/document/write_ops_count", "firestore.googleapis.com/document/delete_ops_count",
	}
	filter := regexp.MustCompile(`metric\.type=\\"([^"\\]+)\\"([^\n]*)`)
	promql := regexp.MustCompile(`logging\.googleapis\.com/user/(?:DEPLOYMENT|NAME)/([a-z-]+)_(sum|count|bucket)`)
	by := regexp.MustCompile(`by \((\w+)\)`)
	label := regexp.MustCompile(`metric\.labels\.([a-z_]+)`)
	asked := map[string]bool{}
	var files []string
	for _, pattern := range []string{"alerts/*.json", "dashboard.json", filepath.Join(playbooks, "*.md")} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		text := read(t, file)
		for _, m := range filter.FindAllStringSubmatch(text, -1) {
			name, ours := strings.CutPrefix(m[1], "logging.googleapis.com/user/DEPLOYMENT/")
			if !ours {
				if !slices.Contains(platform, m[1]) {
					t.Errorf("%s asks for %s", file, m[1])
				}
				continue
			}
			asked[name] = true
			for _, l := range label.FindAllStringSubmatch(m[2], -1) {
				if !strings.Contains(metrics[name], `"`+l[1]+`": "EXTRACT(`) {
					t.Errorf("%s asks metric %q for its label %s", file, name, l[1])
				}
			}
		}
		for line := range strings.Lines(text) {
			for _, l := range by.FindAllStringSubmatch(line, -1) {
				for _, m := range promql.FindAllStringSubmatch(line, -1) {
					if !strings.Contains(metrics[m[1]], `"`+l[1]+`": "EXTRACT(`) {
						t.Errorf("%s asks metric %q for its label %s", file, m[1], l[1])
					}
				}
			}
		}
		for _, m := range promql.FindAllStringSubmatch(text, -1) {
			asked[m[1]] = true
			if !strings.Contains(metrics[m[1]], `"DISTRIBUTION"`) {
				t.Errorf("%s asks for the %s of %q, which is no distribution", file, m[2], m[1])
			}
		}
	}
	for name := range asked {
		if metrics[name] == "" {
			t.Errorf("there is no metric %q", name)
		}
	}
	for name := range metrics {
		if !asked[name] {
			t.Errorf("nothing asks for metric %q", name)
		}
	}
}
