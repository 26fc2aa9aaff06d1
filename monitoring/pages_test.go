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

const playbooks = "../docs/playbooks.md"

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

// sections returns the sections of the playbooks by heading, which is also the anchor of an alert's section.
func sections(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, section := range strings.Split(read(t, playbooks), "\n## ")[1:] {
		heading, text, _ := strings.Cut(section, "\n")
		found[heading] = text
	}
	return found
}

// Each alert names its section of the playbooks, and the section says what to do.
func TestEachAlertHasItsSection(t *testing.T) {
	alerts := names(t, "alerts/*.json")
	sections := sections(t)
	severity := map[string]string{"CRITICAL": "Critical", "ERROR": "Error", "WARNING": "Warning"}
	for _, name := range alerts {
		var policy struct {
			DisplayName   string
			Severity      string
			Documentation struct{ Content string }
			UserLabels    map[string]string
		}
		if err := json.Unmarshal([]byte(read(t, "alerts/"+name+".json")), &policy); err != nil {
			t.Fatal(err)
		}
		if policy.DisplayName != "DEPLOYMENT: "+name || policy.UserLabels["relationindex"] != "DEPLOYMENT" {
			t.Errorf("%s is called %q, and labelled %v", name, policy.DisplayName, policy.UserLabels)
		}
		if !strings.Contains(policy.Documentation.Content, "docs/playbooks.md#"+name+",") {
			t.Errorf("%s does not name its section: %s", name, policy.Documentation.Content)
		}
		at := 0
		for _, part := range []string{severity[policy.Severity] + ": ", "**Look.**", "```", "**Do.**"} {
			i := strings.Index(sections[name][at:], part)
			if i < 0 {
				t.Errorf("the section of %s has no %q, or not in this order", name, part)
				continue
			}
			at += i
		}
	}
	for name := range sections {
		if name != "Common errors" && name != "The line of a run" && !slices.Contains(alerts, name) {
			t.Errorf("section %s is of no alert", name)
		}
	}
}

// Our queried metrics exist, with the queried labels; other metrics are the platform's.
func TestQueriedMetricsExist(t *testing.T) {
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
	for _, pattern := range []string{"alerts/*.json", "dashboard.json", playbooks} {
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
