package metrics_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel"

	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/metrics"
	"example.com/relationindex/internal/metrics/metricstest"
)

func pointer[T any](v T) *T { return &v }

func TestACollectorGetsTheSums(t *testing.T) {
	c := metricstest.Start(t)
	e := metrics.New(c.URL, metrics.Options{Project: "p", Namespace: "blue_"})
	e.Run(t.Context(), metrics.Run{Function: "OnPostWritten", Outcome: "done", Reads: 5, Writes: 2, Lag: pointer(250 * time.Millisecond)})
	if c.Requests() != 1 {
		t.Fatalf("%d requests after the first run, want 1", c.Requests())
	}
	e.Run(t.Context(), metrics.Run{Function: "OnPostWritten", Outcome: "done", Writes: 3, Deletes: 1, Retries: 2, Lag: pointer(48 * time.Hour)})
	e.Run(t.Context(), metrics.Run{Function: "OnJobWritten", Outcome: "nothing", Lag: pointer(time.Duration(0)), BudgetLeft: pointer(-time.Second)})
	e.JobFailed("relations.post")
	if c.Requests() != 1 {
		t.Errorf("%d requests within the same second, want 1", c.Requests())
	}
	if err := e.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := c.Points()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]metricstest.Point{
		"relationindex.runs{function=OnPostWritten,outcome=done}":          {Count: 2},
		"relationindex.runs{function=OnJobWritten,outcome=nothing}":        {Count: 1},
		"relationindex.documents{function=OnPostWritten,operation=read}":   {Count: 5},
		"relationindex.documents{function=OnPostWritten,operation=write}":  {Count: 5},
		"relationindex.documents{function=OnPostWritten,operation=delete}": {Count: 1},
		"relationindex.retries{function=OnPostWritten}":                    {Count: 2},
		"relationindex.jobs.failed{kind=relations.post}":                   {Count: 1},
		"relationindex.lag{function=OnPostWritten}":                        {Count: 2, Sum: 172800.25, Buckets: map[string]int64{"<= 0.25": 1, "more": 1}},
		"relationindex.lag{function=OnJobWritten}":                         {Count: 1, Buckets: map[string]int64{"<= 0.1": 1}},
		"relationindex.step.budget_left{function=OnJobWritten}":            {Count: 1, Sum: -1, Buckets: map[string]int64{"<= 0": 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	about := strings.Join(slices.Sorted(slices.Values(c.Resource())), " ")
	if !strings.Contains(about, "gcp.project_id=p service.instance.id=") || !strings.HasSuffix(about, "service.name=relationindex service.namespace=blue_") {
		t.Errorf("resource: %s", about)
	}
}

// A collector that takes a connection and never answers delays one run by
// Patience, and no other; the sums are there when it wakes up.
func TestACollectorThatHangsDelaysOneRun(t *testing.T) {
	c := metricstest.Start(t)
	wake := make(chan struct{})
	c.Answer(func(w http.ResponseWriter, r *http.Request) {
		<-wake
		metricstest.Take(w, r)
	})
	e := metrics.New(c.URL, metrics.Options{Every: -1})
	started := time.Now()
	e.Run(t.Context(), metrics.Run{Function: "f", Outcome: "done"})
	if took := time.Since(started); took < metrics.Patience || took > metrics.Patience+3*time.Second {
		t.Errorf("the run that exports took %v, want %v", took, metrics.Patience)
	}
	started = time.Now()
	for range 1000 {
		e.Run(t.Context(), metrics.Run{Function: "f", Outcome: "done"})
	}
	if took := time.Since(started); took > metrics.Patience {
		t.Errorf("the next 1,000 runs took %v, although an export is under way", took)
	}
	close(wake)
	if err := e.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	points, err := c.Points()
	if err != nil || points["relationindex.runs{function=f,outcome=done}"].Count != 1001 {
		t.Errorf("points %v, %v", points, err)
	}
}

// What a collector does not take is said once in the log, and the next export
// tells all of it.
func TestACollectorThatFailsIsToldAgain(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"overloaded":   func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "not now", http.StatusServiceUnavailable) },
		"takes a part": metricstest.Reject(3, "not now"),
	} {
		t.Run(name, func(t *testing.T) {
			c := metricstest.Start(t)
			c.Answer(answer)
			var log bytes.Buffer
			e := metrics.New(c.URL, metrics.Options{Logger: logging.New(&log, slog.LevelInfo)})
			for range 50 {
				e.Run(t.Context(), metrics.Run{Function: "f", Outcome: "done"})
			}
			if c.Requests() != 1 || strings.Count(log.String(), "metrics not exported") != 1 || !strings.Contains(log.String(), "not now") {
				t.Errorf("%d requests; log: %s", c.Requests(), &log)
			}
			c.Answer(metricstest.Take)
			if err := e.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			points, err := c.Points()
			if err != nil || points["relationindex.runs{function=f,outcome=done}"].Count != 50 {
				t.Errorf("points %v, %v", points, err)
			}
		})
	}
}

// roundTrips stands in for the network.
type roundTrips func(*http.Request) (*http.Response, error)

func (f roundTrips) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Exports are ten seconds apart while they succeed. Each that fails doubles
// that, to five minutes.
func TestPaceOfExports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, down := time.Now(), true
		var at []int // seconds
		client := &http.Client{Transport: roundTrips(func(*http.Request) (*http.Response, error) {
			at = append(at, int(time.Since(start).Seconds()))
			if down {
				return nil, errors.New("down")
			}
			return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
		})}
		e := metrics.New("http://collector", metrics.Options{Client: client, Logger: slog.New(slog.DiscardHandler)})
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for n := range 1250 {
			if n == 1000 {
				down = false
			}
			e.Run(t.Context(), metrics.Run{Function: "f", Outcome: "done"})
			<-tick.C
		}
		if diff := cmp.Diff([]int{0, 20, 60, 140, 300, 600, 900, 1200, 1210, 1220, 1230, 1240}, at); diff != "" {
			t.Errorf("seconds of exports (-want +got):\n%s", diff)
		}
	})
}

// The run of a client that has gone counts like any other.
func TestARunWhoseContextIsCancelledIsCounted(t *testing.T) {
	c := metricstest.Start(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	metrics.New(c.URL, metrics.Options{}).Run(ctx, metrics.Run{Function: "Feed", Outcome: "gone"})
	points, err := c.Points()
	if err != nil || points["relationindex.runs{function=Feed,outcome=gone}"].Count != 1 {
		t.Errorf("points %v, %v", points, err)
	}
}

// Of the variables that the SDK reads, those hold that say how the collector is
// to be talked to; none changes where and what it gets of ours.
func TestVariablesOfTheSDK(t *testing.T) {
	for name, value := range map[string]string{
		"HEADERS": "api-key=secret", "METRICS_COMPRESSION": "gzip",
		"ENDPOINT": "https://127.0.0.1:1/elsewhere", "METRICS_ENDPOINT": ":wrong", "INSECURE": "false",
		"METRICS_TEMPORALITY_PREFERENCE": "delta", "METRICS_DEFAULT_HISTOGRAM_AGGREGATION": "base2_exponential_bucket_histogram",
	} {
		t.Setenv("OTEL_EXPORTER_OTLP_"+name, value)
	}
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "team=feeds,service.name=other")
	t.Setenv("OTEL_SERVICE_NAME", "other")
	c := metricstest.Start(t)
	var log bytes.Buffer
	e := metrics.New(c.URL, metrics.Options{Logger: logging.New(&log, slog.LevelInfo)})
	e.Run(t.Context(), metrics.Run{Function: "f", Outcome: "done", Lag: pointer(time.Second)})
	if err := e.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := c.Points() // refuses what is not cumulative
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]metricstest.Point{
		"relationindex.runs{function=f,outcome=done}": {Count: 1},
		"relationindex.lag{function=f}":               {Count: 1, Sum: 1, Buckets: map[string]int64{"<= 1": 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c.Header().Get("Api-Key") != "secret" || c.Header().Get("Content-Encoding") != "gzip" {
		t.Errorf("header: %v", c.Header())
	}
	about := strings.Join(slices.Sorted(slices.Values(c.Resource())), " ")
	if !strings.HasSuffix(about, "service.name=relationindex team=feeds") {
		t.Errorf("resource: %s", about)
	}
	for line := range strings.Lines(log.String()) {
		if !strings.HasPrefix(line, `{"`) || !strings.Contains(line, `"severity":`) {
			t.Errorf("not a line of ours: %s", line)
		}
	}
	if !strings.Contains(log.String(), ":wrong") {
		t.Errorf("nothing in the log about a wrong variable: %s", &log)
	}
}

// Credentials are looked for when the first export begins, and for Google's
// collector alone.
func TestDefaultCredentialsAreForGooglesCollector(t *testing.T) {
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "missing.json"))
	c := metricstest.Start(t)
	for endpoint, asks := range map[string]bool{"https://telemetry.googleapis.com": true, c.URL: false} {
		var log bytes.Buffer
		e := metrics.New(endpoint, metrics.Options{Logger: logging.New(&log, slog.LevelInfo)})
		if log.Len() != 0 {
			t.Errorf("%s: before the first run: %s", endpoint, &log)
		}
		if err := e.Flush(t.Context()); (err != nil) != asks || strings.Contains(log.String(), "missing.json") != asks {
			t.Errorf("%s: %v; log: %s", endpoint, err, &log)
		}
	}
}

// Each error of OpenTelemetry is a line of our log.
func TestErrorsOfTheSDKAreLogged(t *testing.T) {
	c := metricstest.Start(t)
	var log bytes.Buffer
	metrics.New(c.URL, metrics.Options{Logger: logging.New(&log, slog.LevelInfo)})
	otel.Handle(errors.New("no good"))
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"severity":"WARNING"`) || !strings.Contains(got, "no good") {
		t.Errorf("log: %s", got)
	}
}

func TestWithoutACollectorNothingIsCounted(t *testing.T) {
	e := metrics.New("", metrics.Options{})
	e.Run(t.Context(), metrics.Run{})
	e.JobFailed("kind")
	if err := e.Flush(t.Context()); e != nil || err != nil {
		t.Errorf("%v, %v", e, err)
	}
}
