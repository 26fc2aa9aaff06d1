package faults

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/wire"
)

// Places are the places in the code that read. Each of them fails once, in a process of its own, like
// the read of a [FailedRead]. So a few processes fail every read that differs. A place is the line that
// reads and its three callers, on the same goroutine. Reads of tests themselves have no place and do
// not fail. The zero value is ready. Places is safe for concurrent use.
type Places struct {
	mu     sync.Mutex
	failed map[string]bool
}

// Process returns the connection of the next process. Its first read from a place that has not failed
// yet fails. failed returns that place; "" if there was none.
func (p *Places) Process() (i wire.Interceptor, failed func() string) {
	place := ""
	stream := func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		if p.fails(&place, readingPlace()) {
			return nil, status.Error(codes.Unknown, "the read failed")
		}
		return open(ctx, desc, cc, method, opts...)
	}
	return wire.Interceptor{Stream: stream}, func() string {
		p.mu.Lock()
		defer p.mu.Unlock()
		return place
	}
}

// fails reports whether a read at here fails. place is the place of the process's failed read, or "".
func (p *Places) fails(place *string, here string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if *place != "" || here == "" || p.failed[here] {
		return false
	}
	if p.failed == nil {
		p.failed = map[string]bool{}
	}
	p.failed[here], *place = true, here
	return true
}

// readingPlace returns the place of the read that its caller's caller makes, the innermost line first;
// "" for a read by a test itself.
func readingPlace() string {
	const module = "example.com/relationindex/"
	calls := make([]uintptr, 100)
	frames := runtime.CallersFrames(calls[:runtime.Callers(3, calls)])
	var lines []string
	for {
		frame, more := frames.Next()
		below, ours := strings.CutPrefix(frame.Function, module)
		machinery := strings.HasPrefix(below, "internal/") || strings.HasPrefix(below, "emulator/")
		if ours && !machinery && !strings.HasSuffix(frame.File, "_test.go") {
			lines = append(lines, fmt.Sprintf("%s:%d", below, frame.Line))
		}
		if !more || len(lines) == 4 {
			return strings.Join(lines, " < ")
		}
	}
}
