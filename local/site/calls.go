package site

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/internal/wire"
)

// maxWritten is the most documents that are remembered as written by the functions.
const maxWritten = 10_000

// calls counts what the functions do for events, and remembers the documents that they write. Calls with a
// reason are not for an event, and are not counted: see [wire.WithReason].
type calls struct {
	meter wire.Meter
	last  atomic.Int64 // when the last call was answered, in nanoseconds of Unix time

	mu      sync.Mutex
	written map[string]bool // paths of documents
	tooMany bool            // more documents were written than maxWritten
}

// reset forgets the writes so far.
func (c *calls) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written, c.tooMany = map[string]bool{}, false
}

// mayBeOurs reports whether the functions may have written a document since the last reset. The answer is
// exact, unless they have written more documents than maxWritten.
func (c *calls) mayBeOurs(document string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tooMany || c.written[document]
}

// lastAt returns when the last call was answered.
func (c *calls) lastAt() time.Time { return time.Unix(0, c.last.Load()) }

// interceptor must come first in the proxy of the functions: it counts what the functions get. Reads of
// guards are not counted, because guards have connections of their own.
func (c *calls) interceptor() wire.Interceptor {
	meter := c.meter.Interceptor()
	return wire.Interceptor{
		Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			if wire.Reason(ctx) != "" {
				return invoke(ctx, method, req, reply, cc, opts...)
			}
			if commit, ok := req.(interface{ GetWrites() []*pb.Write }); ok {
				c.note(commit.GetWrites()) // before the write, so that it is known when the event comes
			}
			defer c.answered()
			return meter.Unary(ctx, method, req, reply, cc, invoke, opts...)
		},
		Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			if wire.Reason(ctx) != "" {
				return open(ctx, desc, cc, method, opts...)
			}
			s, err := meter.Stream(ctx, desc, cc, method, open, opts...)
			return timedStream{s, c}, err
		},
	}
}

func (c *calls) note(writes []*pb.Write) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range writes {
		name := w.GetUpdate().GetName()
		if name == "" {
			name = w.GetDelete()
		}
		if len(c.written) == maxWritten {
			c.tooMany = true
			return
		}
		if _, document, ok := strings.Cut(name, "/documents/"); ok && c.written != nil {
			c.written[document] = true
		}
	}
}

func (c *calls) answered() { c.last.Store(time.Now().UnixNano()) }

type timedStream struct {
	grpc.ClientStream
	calls *calls
}

func (s timedStream) RecvMsg(reply any) error {
	defer s.calls.answered()
	return s.ClientStream.RecvMsg(reply)
}
