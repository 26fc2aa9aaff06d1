package bench

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// BenchmarkHop is a job of 51 hops, as short as hops can be: what one costs,
// and how long it takes from the write that hands over until the next step has
// claimed the job, through the trigger. The goal is 100 ms.
func BenchmarkHop(b *testing.B) {
	const k = 100
	log := &hopLog{}
	p := project(b, schema.Config{NoOwnPosts: true, Capacity: 1, InlineLimit: 1, Chunk: 2, Step: time.Nanosecond}, log.interceptor())
	follows(b, p.Client, "author", k, 16)
	idle(b, p)
	n := 0
	for b.Loop() {
		log.reset()
		before := p.Meter.Counts()
		n++
		write(b, p.Client, "posts/post-"+string(rune('a'+n)), map[string]any{"userId": "author", "createdAt": time.Now()})
		idle(b, p)
		used := p.Meter.Counts().Minus(before)
		waits := log.waits()
		slices.Sort(waits)
		b.ReportMetric(milliseconds(waits[len(waits)/2]), "ms/hop-p50")
		b.ReportMetric(milliseconds(waits[len(waits)*99/100]), "ms/hop-p99")
		b.ReportMetric(float64(used.Writes-k)/float64(len(waits)+1), "engine-writes/hop")
		b.ReportMetric(0, "ns/op")
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// hopLog notes when jobs were handed over, and when they were claimed.
type hopLog struct {
	mu     sync.Mutex
	queued time.Time // answered
	waited []time.Duration
}

func (l *hopLog) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queued, l.waited = time.Time{}, nil
}

func (l *hopLog) waits() []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.waited)
}

func (l *hopLog) interceptor() wire.Interceptor {
	return wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		err := invoke(ctx, method, req, reply, cc, opts...)
		state := writtenState(req)
		l.mu.Lock()
		defer l.mu.Unlock()
		switch {
		case err != nil:
		case state == "queued":
			l.queued = time.Now()
		case state == "running" && !l.queued.IsZero(): // a checkpoint comes after a claim
			l.waited = append(l.waited, time.Since(l.queued))
			l.queued = time.Time{}
		}
		return err
	}}
}

// writtenState is the state that a commit gives a job; "" if it is none of a job.
func writtenState(req any) string {
	commit, ok := req.(*pb.CommitRequest)
	if !ok {
		return ""
	}
	for _, w := range commit.GetWrites() {
		if doc := w.GetUpdate(); strings.Contains(doc.GetName(), "/documents/_functions/") {
			return doc.GetFields()["state"].GetStringValue()
		}
	}
	return ""
}
