package logging

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
)

// Cloud Logging moves these keys of a line into fields of the log entry:
// cloud.google.com/logging/docs/structured-logging, "Special JSON fields".
const (
	traceKey   = "logging.googleapis.com/trace"
	spanKey    = "logging.googleapis.com/spanId"
	sampledKey = "logging.googleapis.com/trace_sampled"
	labelsKey  = "logging.googleapis.com/labels"
)

// Trace identifies a request for tracing. The zero Trace is none.
type Trace struct {
	ID      string // 32 hexadecimal digits
	Span    string // 16 hexadecimal digits; "": unknown
	Sampled bool
}

// TraceOf returns the trace that a request's headers name. It reads the W3C's traceparent
// (VERSION-TRACE-SPAN-FLAGS), or else Google's older X-Cloud-Trace-Context
// (TRACE/SPAN;o=1, the span in decimal). Cloud Run sets both. Headers of another shape
// are ignored.
func TraceOf(h http.Header) Trace {
	if t, ok := ofParent(strings.TrimSpace(h.Get("Traceparent"))); ok {
		return t
	}
	return ofCloud(strings.TrimSpace(h.Get("X-Cloud-Trace-Context")))
}

func ofParent(header string) (Trace, bool) {
	parts := strings.Split(header, "-") // a later version may have more than four
	if len(parts) < 4 || !isHex(parts[0], 2) || parts[0] == "ff" || !isHex(parts[3], 2) {
		return Trace{}, false
	}
	id, span := parts[1], parts[2]
	if !isHex(id, 32) || !isHex(span, 16) || zeros(id) || zeros(span) {
		return Trace{}, false
	}
	flags, _ := strconv.ParseUint(parts[3], 16, 8)
	return Trace{ID: id, Span: span, Sampled: flags&1 == 1}, true
}

func ofCloud(header string) Trace {
	path, options, _ := strings.Cut(header, ";")
	id, span, _ := strings.Cut(path, "/")
	if id = strings.ToLower(id); !isHex(id, 32) || zeros(id) {
		return Trace{}
	}
	t := Trace{ID: id, Sampled: options == "o=1"}
	if n, err := strconv.ParseUint(span, 10, 64); err == nil && n != 0 {
		t.Span = fmt.Sprintf("%016x", n)
	}
	return t
}

func isHex(s string, digits int) bool {
	return len(s) == digits && strings.Trim(s, "0123456789abcdef") == ""
}

func zeros(digits string) bool { return strings.Trim(digits, "0") == "" }

// WithRun returns a context whose log lines carry the function as a label, and the
// trace in the project. If several runs share work, the work's lines have the label and
// trace of one run.
func WithRun(ctx context.Context, project, function string, t Trace) context.Context {
	attrs := []slog.Attr{slog.Group(labelsKey, slog.String(Function, function))}
	if t.ID != "" {
		attrs = append(attrs, slog.String(traceKey, "projects/"+project+"/traces/"+t.ID), slog.Bool(sampledKey, t.Sampled))
		if t.Span != "" {
			attrs = append(attrs, slog.String(spanKey, t.Span))
		}
	}
	return context.WithValue(ctx, runKey{}, attrs)
}

type runKey struct{}

// runHandler adds the attributes of WithRun to a line. In a logger with a group they
// would be inside the group, where Cloud Logging does not read them. No logger of this
// project has a group.
type runHandler struct{ slog.Handler }

func (h runHandler) Handle(ctx context.Context, r slog.Record) error {
	if attrs, ok := ctx.Value(runKey{}).([]slog.Attr); ok {
		r = r.Clone()
		r.AddAttrs(attrs...)
	}
	return h.Handler.Handle(ctx, r)
}

func (h runHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return runHandler{h.Handler.WithAttrs(attrs)}
}

func (h runHandler) WithGroup(name string) slog.Handler { return runHandler{h.Handler.WithGroup(name)} }
