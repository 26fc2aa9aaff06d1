package metrics

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"
)

// The messages of OTLP that are sent, in its JSON encoding: 64-bit integers are
// strings, enumerations numbers (opentelemetry.io/docs/specs/otlp, "JSON Protobuf
// Encoding"). Tests read them with the official types.
type (
	request struct {
		ResourceMetrics []resourceMetrics `json:"resourceMetrics"`
	}
	resourceMetrics struct {
		Resource     resource       `json:"resource"`
		ScopeMetrics []scopeMetrics `json:"scopeMetrics"`
	}
	resource struct {
		Attributes []keyValue `json:"attributes"`
	}
	scopeMetrics struct {
		Scope   scope    `json:"scope"`
		Metrics []metric `json:"metrics"`
	}
	scope struct {
		Name string `json:"name"`
	}
	metric struct {
		Name        string `json:"name"`
		Unit        string `json:"unit"`
		Description string `json:"description"`
		Sum         *data  `json:"sum,omitempty"`
		Histogram   *data  `json:"histogram,omitempty"`
	}
	data struct {
		DataPoints  []dataPoint `json:"dataPoints"`
		Temporality int         `json:"aggregationTemporality"`
		Monotonic   bool        `json:"isMonotonic,omitempty"`
	}
	dataPoint struct {
		Attributes []keyValue `json:"attributes"`
		Start      string     `json:"startTimeUnixNano"`
		Time       string     `json:"timeUnixNano"`
		AsInt      string     `json:"asInt,omitempty"`          // of a sum
		Count      string     `json:"count,omitempty"`          // of a histogram, as what follows
		Sum        *float64   `json:"sum,omitempty"`            //
		Buckets    []string   `json:"bucketCounts,omitempty"`   //
		Bounds     []float64  `json:"explicitBounds,omitempty"` //
	}
	keyValue struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	value struct {
		String string `json:"stringValue"`
	}
)

// cumulative is AGGREGATION_TEMPORALITY_CUMULATIVE: since the start.
const cumulative = 2

// encode is the body of an export of all that has been counted from start to now.
func (s *sums) encode(about []keyValue, start, now time.Time) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []metric
	for _, m := range s.inOrder {
		if len(m.points) > 0 {
			out = append(out, m.encode(start, now))
		}
	}
	return json.Marshal(request{[]resourceMetrics{{
		Resource:     resource{about},
		ScopeMetrics: []scopeMetrics{{Scope: scope{"example.com/relationindex"}, Metrics: out}},
	}}})
}

func (s *series) encode(start, now time.Time) metric {
	d := &data{Temporality: cumulative, Monotonic: s.bounds == nil}
	inOrder := slices.SortedFunc(maps.Keys(s.points), func(a, b attributes) int {
		return cmp.Or(cmp.Compare(a[0].value, b[0].value), cmp.Compare(a[1].value, b[1].value))
	})
	for _, a := range inOrder {
		p := s.points[a]
		out := dataPoint{Start: nanos(start), Time: nanos(now)}
		for _, kv := range a {
			if kv.key != "" {
				out.Attributes = append(out.Attributes, keyValue{kv.key, value{kv.value}})
			}
		}
		if s.bounds == nil {
			out.AsInt = decimal(p.count)
		} else {
			sum := p.sum
			out.Count, out.Sum, out.Bounds = decimal(p.count), &sum, s.bounds
			for _, n := range p.buckets {
				out.Buckets = append(out.Buckets, decimal(n))
			}
		}
		d.DataPoints = append(d.DataPoints, out)
	}
	m := metric{Name: s.name, Unit: s.unit, Description: s.description}
	if s.bounds == nil {
		m.Sum = d
	} else {
		m.Histogram = d
	}
	return m
}

func decimal(n int64) string   { return strconv.FormatInt(n, 10) }
func nanos(t time.Time) string { return decimal(t.UnixNano()) }
