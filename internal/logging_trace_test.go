package internal_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/internal/logging"
)

func trace(id, span string, sampled bool) logging.Trace {
	return logging.Trace{ID: id, Span: span, Sampled: sampled}
}

func TestTraceOfHeaders(t *testing.T) {
	const (
		id   = "4bf92f3577b34da6a3ce929d0e0e4736"
		span = "00f067aa0ba902b7"
	)
	for name, c := range map[string]struct {
		parent, cloud string
		want          logging.Trace
	}{
		"none":                             {},
		"traceparent, sampled":             {parent: "00-" + id + "-" + span + "-01", want: trace(id, span, true)},
		"traceparent, not sampled":         {parent: "00-" + id + "-" + span + "-00", want: trace(id, span, false)},
		"traceparent, random flag":         {parent: "00-" + id + "-" + span + "-03", want: trace(id, span, true)},
		"traceparent of a later version":   {parent: "01-" + id + "-" + span + "-01-more", want: trace(id, span, true)},
		"traceparent before Google's":      {parent: "00-" + id + "-" + span + "-00", cloud: "0af7651916cd43dd8448eb211c80319c/1;o=1", want: trace(id, span, false)},
		"Google's":                         {cloud: id + "/74;o=1", want: trace(id, "000000000000004a", true)},
		"Google's, not sampled":            {cloud: id + "/74;o=0", want: trace(id, "000000000000004a", false)},
		"Google's, largest span":           {cloud: id + "/18446744073709551615", want: trace(id, "ffffffffffffffff", false)},
		"Google's, span too large":         {cloud: id + "/18446744073709551616", want: trace(id, "", false)},
		"Google's without a span":          {cloud: id, want: logging.Trace{ID: id}},
		"Google's in capitals":             {cloud: "4BF92F3577B34DA6A3CE929D0E0E4736", want: logging.Trace{ID: id}},
		"Google's where W3C's is wrong":    {parent: "00-" + id, cloud: id + "/1;o=1", want: trace(id, "0000000000000001", true)},
		"zero trace":                       {parent: "00-00000000000000000000000000000000-" + span + "-01", cloud: "00000000000000000000000000000000/1"},
		"zero span":                        {parent: "00-" + id + "-0000000000000000-01"},
		"version ff":                       {parent: "ff-" + id + "-" + span + "-01"},
		"text that would break a filter":   {cloud: id + `" OR severity>=0`},
		"another project's name in a path": {cloud: "projects/other/traces/" + id},
	} {
		t.Run(name, func(t *testing.T) {
			h := http.Header{}
			if c.parent != "" {
				h.Set("traceparent", c.parent)
			}
			if c.cloud != "" {
				h.Set("X-Cloud-Trace-Context", c.cloud)
			}
			if got := logging.TraceOf(h); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

func TestEveryLineOfARunNamesItsTraceAndFunction(t *testing.T) {
	var out bytes.Buffer
	log := logging.New(&out, slog.LevelInfo).With(logging.Document, "posts/p")
	ctx := logging.WithRun(t.Context(), "my-project", "OnPostWritten", trace("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", true))
	log.InfoContext(ctx, "hello")
	log.InfoContext(t.Context(), "outside")
	lines := json.NewDecoder(&out)
	for _, want := range []map[string]any{
		{
			"severity": "INFO", "message": "hello", "document": "posts/p",
			"logging.googleapis.com/trace":         "projects/my-project/traces/4bf92f3577b34da6a3ce929d0e0e4736",
			"logging.googleapis.com/spanId":        "00f067aa0ba902b7",
			"logging.googleapis.com/trace_sampled": true,
			"logging.googleapis.com/labels":        map[string]any{"function": "OnPostWritten"},
		},
		{"severity": "INFO", "message": "outside", "document": "posts/p"},
	} {
		var got map[string]any
		if err := lines.Decode(&got); err != nil {
			t.Fatal(err)
		}
		delete(got, slog.TimeKey)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
