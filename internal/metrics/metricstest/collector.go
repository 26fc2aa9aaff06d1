// Package metricstest is an OpenTelemetry collector for tests: a server on
// loopback that decodes what it gets with OTLP's official types.
package metricstest

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"
)

// Collector keeps what it was sent. It is safe for concurrent use.
type Collector struct {
	URL string

	mu       sync.Mutex
	requests []*collector.ExportMetricsServiceRequest
	header   http.Header // of the last request
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
func Take(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// Reject is the answer that so many points were not taken.
func Reject(points int64, why string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := proto.Marshal(&collector.ExportMetricsServiceResponse{
			PartialSuccess: &collector.ExportMetricsPartialSuccess{RejectedDataPoints: points, ErrorMessage: why},
		})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		Take(w, r)
		_, _ = w.Write(body)
	}
}

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

// Header is that of the last request.
func (c *Collector) Header() http.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.header
}

func (c *Collector) receive(r *http.Request) error {
	from := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		plain, err := gzip.NewReader(r.Body)
		if err != nil {
			return err
		}
		from = plain
	}
	body, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	if r.Method != http.MethodPost || r.URL.Path != "/v1/metrics" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		return fmt.Errorf("%s %s of %q", r.Method, r.URL, r.Header.Get("Content-Type"))
	}
	got := &collector.ExportMetricsServiceRequest{}
	if err := proto.Unmarshal(body, got); err != nil {
		return fmt.Errorf("%w in %q", err, body)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests, c.header = append(c.requests, got), r.Header
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
