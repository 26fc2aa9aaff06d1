package functions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// logMetric is a file of monitoring/metrics, as far as it names what is logged.
type logMetric struct {
	Filter          string            `json:"filter"`
	ValueExtractor  string            `json:"valueExtractor"`
	LabelExtractors map[string]string `json:"labelExtractors"`
}

// logMetrics are all of them, for a deployment, by name.
func logMetrics(t *testing.T, deployment string) map[string]logMetric {
	t.Helper()
	files, err := filepath.Glob("../monitoring/metrics/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	out := map[string]logMetric{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var m logMetric
		if err := json.Unmarshal([]byte(strings.ReplaceAll(string(text), "DEPLOYMENT", deployment)), &m); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out[strings.TrimSuffix(filepath.Base(file), ".json")] = m
	}
	return out
}

// entriesOf are a log's lines as Cloud Logging keeps them: by the path of each
// field, those of the service that wrote them among them.
func entriesOf(t *testing.T, log fmt.Stringer, deployment string) []map[string]any {
	t.Helper()
	var out []map[string]any
	for text := range strings.Lines(log.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		labels, _ := line["logging.googleapis.com/labels"].(map[string]any)
		function, _ := labels["function"].(string)
		capital := regexp.MustCompile("[A-Z]")
		service := deployment + strings.ToLower(capital.ReplaceAllString(function, "-$0"))
		entry := map[string]any{
			"resource.type": "cloud_run_revision", "resource.labels.service_name": service, "severity": line["severity"],
		}
		for key, value := range line {
			if key != "severity" && key != "time" && !strings.HasPrefix(key, "logging.googleapis.com/") {
				entry["jsonPayload."+key] = value
			}
		}
		out = append(out, entry)
	}
	return out
}

// comparison is a line of a filter: lines are joined by AND.
var comparison = regexp.MustCompile(`^([A-Za-z_.]+)(=~|>=|=|<)(.+)$`)

// matches says whether a filter takes an entry. It knows as much of the language
// as our filters use; the rest is an error.
func matches(filter string, entry map[string]any) (bool, error) {
	for line := range strings.Lines(filter) {
		m := comparison.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			return false, fmt.Errorf("what is %q?", line)
		}
		value, there := entry[m[1]]
		if !there {
			return false, nil // no comparison holds of a field that is missing
		}
		ok := false
		for alternative := range strings.SplitSeq(strings.Trim(m[3], "()"), " OR ") {
			if m[2] == "=~" {
				alternative = strings.Trim(m[3], `"`)
			}
			switch want, err := strconv.ParseFloat(alternative, 64); {
			case m[2] == "=~":
				ok = regexp.MustCompile(alternative).MatchString(fmt.Sprint(value))
			case m[2] == "=":
				ok = ok || strconv.Quote(fmt.Sprint(value)) == alternative
			case err != nil:
				return false, fmt.Errorf("%q compares with no number", line)
			case m[2] == ">=":
				ok = value.(float64) >= want
			default:
				ok = value.(float64) < want
			}
		}
		if !ok {
			return false, nil
		}
	}
	return true, nil
}

// Each metric's filter matches the log lines of its story, under their names, and its
// extracted fields exist.
func TestLogBasedMetricsMatchLogLines(t *testing.T) {
	t.Parallel()
	a, log := newReportingApp(t, schema.Config{NoOwnPosts: true, Capacity: 2, InlineLimit: 2, Chunk: 1, AccountHour: 1})
	for _, follower := range []string{"r1", "r2", "r3", "r4", "r5", "r6"} {
		a.Follow(follower, "author")
	}
	a.Post("p1", "author", day) // a job
	a.Must(a.Client.Doc("posts/bad").Set(t.Context(), map[string]any{"userId": 7}))
	a.Must(a.Client.Doc("_functions/bad").Set(t.Context(), map[string]any{"state": "queued", "hop": "no number"}))
	a.Settle()
	for function, method := range map[string]string{"Sweep": http.MethodPost, "Feed": http.MethodGet} {
		a.Handlers().HTTP(function)(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), method, "/", nil))
	}
	a.Silence()
	a.Must(a.Client.Doc("_functions/slow").Set(t.Context(), map[string]any{"kind": "relations.post", "state": "queued", "hop": 1, "args": map[string]any{"post": "p1"}}))
	a.Handlers().Budget = func(ctx context.Context) chunker.Budget {
		return chunker.NewBudget(ctx, time.Now().Add(-time.Hour), time.Minute, 0, nil)
	}
	if err := a.Handlers().Function("OnJobWritten")(logging.WithRun(t.Context(), a.ID, "OnJobWritten", logging.Trace{}), jobEvent(t, a.ID, "slow", "queued", 1)); err != nil {
		t.Fatal(err)
	}
	again, err := proto.Marshal(&firestoredata.DocumentEventData{Value: &firestoredata.Document{
		Name: "projects/" + a.ID + "/databases/(default)/documents/posts/p1", Fields: map[string]*firestoredata.Value{"userId": value("author")},
	}})
	a.OK(err)
	a.OK(a.Handlers().Function("OnPostWritten")(logging.WithRun(t.Context(), a.ID, "OnPostWritten", logging.Trace{}), testkit.FirestoreEvent(t, again))) // more than the hour allows

	a.Must(schema.BrakeDocument(a.Client).Set(t.Context(), map[string]any{}))
	a.OK(a.Handlers().Ready(t.Context(), "Sweep"))
	a.Handlers().HTTP("Sweep")(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil))

	all := runs(t, log)
	want := map[string]int{"runs": len(all), "failed-jobs": len(linesWith(t, log, "job failed")) + len(linesWith(t, log, "job keeps failing")), "acts-waiting": 1, "brake-on": 1}
	for _, l := range all {
		count := func(metric string, counts bool) {
			if counts {
				want[metric]++
			}
		}
		count("lag", l.LagMs != nil && (l.Outcome == "done" || l.Outcome == "nothing"))
		count("writes", l.Writes > 0)
		count("reads", l.Reads > 0)
		count("overrun-steps", l.BudgetLeftMs != nil && *l.BudgetLeftMs < 0)
	}
	for name, m := range logMetrics(t, "shop") {
		if strings.Contains(m.Filter, "cloud_run_job") {
			continue // of no function: cmd/relationindex/internal/operate has its test
		}
		got := 0
		for _, entry := range entriesOf(t, log, "shop") {
			ok, err := matches(m.Filter, entry)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !ok {
				continue
			}
			got++
			field := func(extractor string) any {
				return entry[strings.TrimSuffix(strings.TrimPrefix(extractor, "EXTRACT("), ")")]
			}
			for label, extractor := range m.LabelExtractors {
				if _, ok := field(extractor).(string); !ok {
					t.Errorf("%s: no label %s by %s in %v", name, label, extractor, entry)
				}
			}
			if _, ok := field(m.ValueExtractor).(float64); m.ValueExtractor != "" && !ok {
				t.Errorf("%s: no number by %s in %v", name, m.ValueExtractor, entry)
			}
		}
		if got != want[name] || got == 0 {
			t.Errorf("%s counts %d lines, want %d and at least one", name, got, want[name])
		}
		for _, entry := range entriesOf(t, log, "shop-blue") {
			if ok, _ := matches(m.Filter, entry); ok {
				t.Errorf("%s of shop counts a line of shop-blue: %v", name, entry)
				break
			}
		}
	}
	t.Logf("lines by metric: %v", want)

	fields := map[string]bool{"jsonPayload.retries": true} // no call of the story failed
	for _, entry := range entriesOf(t, log, "shop") {
		for field := range entry {
			fields[field] = true
		}
	}
	for _, page := range []string{"../docs/playbooks.md", "../monitoring/dashboard.json"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range regexp.MustCompile(`jsonPayload\.\w+`).FindAllString(string(text), -1) {
			if !fields[field] {
				t.Errorf("%s asks for %s, which nothing logs", page, field)
			}
		}
	}
}

// Alert policies filter on existing outcomes and functions.
func TestAlertsFilterOnLoggedValues(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../monitoring/alerts/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	known := strings.Fields("Sweep Feed OnJobWritten done nothing dropped failed")
	asked := regexp.MustCompile(`metric\.labels\.(?:function|outcome)(?:!?=)(?:one_of\()?((?:\\"\w+\\",?)+)`)
	seen := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range asked.FindAllStringSubmatch(string(text), -1) {
			for word := range strings.SplitSeq(m[1], ",") {
				seen++
				if word = strings.Trim(word, `\"`); !strings.Contains(" "+strings.Join(known, " ")+" ", " "+word+" ") {
					t.Errorf("%s asks for %q", file, word)
				}
			}
		}
	}
	if seen < 5 {
		t.Errorf("%d words found: the test no longer reads the filters", seen)
	}
}
