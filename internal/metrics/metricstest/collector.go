// Package metricstest is an OpenTelemetry collector for tests: a server on
// loopback that decodes what it gets with OTLP's official types.
package metricstest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// Collector keeps what it was sent. It is safe for concurrent use.
type Collector struct {
	URL string

	mu       sync.Mutex
	requests []*otlp.MetricsData // of the same shape as ExportMetricsServiceRequest
	answer   http.HandlerFunc
}

// Start starts a collector, which takes everything. It ends with the test.
func Start(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{answer: Take}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := c.receive(r); err != nil {
			t.Errorf("the collector got what it cannot read: %v", err)
		}
		c.mu.Lock()
		answer := c.answer
		c.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

// Take is the answer that all is well.
func Take(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }

// Answer replaces how it answers from now on.
func (c *Collector) Answer(answer http.HandlerFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = answer
}

// Requests is how many it has got.
func (c *Collector) Requests() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.requests)
}

func (c *Collector) receive(r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if r.Method != http.MethodPost || r.URL.Path != "/v1/metrics" || r.Header.Get("Content-Type") != "application/json" {
		return fmt.Errorf("%s %s of %q", r.Method, r.URL, r.Header.Get("Content-Type"))
	}
	got := &otlp.MetricsData{}
	if err := protojson.Unmarshal(body, got); err != nil { // refuses fields that it does not know
		return fmt.Errorf("%w in %s", err, body)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, got)
	return nil
}

// Resource is the attributes of the process that sent the last request, as
// "key=value".
func (c *Collector) Resource() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return texts(c.requests[len(c.requests)-1].GetResourceMetrics()[0].GetResource().GetAttributes())
}

// Point is what a metric says under one set of attributes.
type Point struct {
	Count   int64            // of a counter its sum, of a histogram its observations
	Sum     float64          // of a histogram
	Buckets map[string]int64 // of a histogram, those that have any: "<= 0.5", or "more"
}

// Points are the points of the last request by their metric and attributes:
// "relationindex.runs{function=Sweep,outcome=done}". It is an error if a counter
// is not cumulative, or a histogram does not agree with itself.
func (c *Collector) Points() (map[string]Point, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]Point{}
	if len(c.requests) == 0 {
		return out, nil
	}
	const cumulative = otlp.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
	for _, m := range c.requests[len(c.requests)-1].GetResourceMetrics()[0].GetScopeMetrics()[0].GetMetrics() {
		key := func(a []*common.KeyValue) string { return m.GetName() + "{" + strings.Join(texts(a), ",") + "}" }
		for _, p := range m.GetSum().GetDataPoints() {
			if !m.GetSum().GetIsMonotonic() || m.GetSum().GetAggregationTemporality() != cumulative || p.GetTimeUnixNano() < p.GetStartTimeUnixNano() || p.GetStartTimeUnixNano() == 0 {
				return nil, fmt.Errorf("not a cumulative counter: %v", m)
			}
			out[key(p.GetAttributes())] = Point{Count: p.GetAsInt()}
		}
		for _, p := range m.GetHistogram().GetDataPoints() {
			point := Point{int64(p.GetCount()), p.GetSum(), map[string]int64{}} //nolint:gosec // small
			var all uint64
			for i, n := range p.GetBucketCounts() {
				all += n
				bound := "more"
				if i < len(p.GetExplicitBounds()) {
					bound = fmt.Sprintf("<= %v", p.GetExplicitBounds()[i])
				}
				if n > 0 {
					point.Buckets[bound] = int64(n) //nolint:gosec // small
				}
			}
			if all != p.GetCount() || len(p.GetBucketCounts()) != len(p.GetExplicitBounds())+1 || m.GetHistogram().GetAggregationTemporality() != cumulative {
				return nil, fmt.Errorf("not a cumulative histogram: %v", m)
			}
			out[key(p.GetAttributes())] = point
		}
	}
	return out, nil
}

func texts(attributes []*common.KeyValue) []string {
	var out []string
	for _, a := range attributes {
		out = append(out, a.GetKey()+"="+a.GetValue().GetStringValue())
	}
	return out
}
