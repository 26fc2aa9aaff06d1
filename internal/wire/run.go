package wire

import (
	"context"

	"google.golang.org/grpc"
)

// WithMeter returns a context with a meter for the calls under it, such as those of one
// run of a function. The meter counts calls of all clients of [OpenDatabase], and
// replaces the meter of ctx. Sent and Received stay 0: measuring every message would take
// too much time in a run.
func WithMeter(ctx context.Context) (context.Context, *Meter) {
	m := &Meter{unsized: true}
	return context.WithValue(ctx, meterKey{}, m), m
}

// MeterOf returns the meter of WithMeter; nil without one.
func MeterOf(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}

type meterKey struct{}

// meterRun counts a call for the meter of its context.
func meterRun(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if m := MeterOf(ctx); m != nil {
		return m.unary(ctx, method, req, reply, cc, invoke, opts...)
	}
	return invoke(ctx, method, req, reply, cc, opts...)
}

func meterRunReads(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if m := MeterOf(ctx); m != nil {
		return m.stream(ctx, desc, cc, method, open, opts...)
	}
	return open(ctx, desc, cc, method, opts...)
}

// Share adds c to meters in equal whole parts. The first meters get the remainder, so the
// parts add up to c. Without meters, Share does nothing.
func (c Counts) Share(meters []*Meter) {
	n := int64(len(meters))
	for i, m := range meters {
		m.Add(c.with(Counts{}, func(all, _ int64) int64 {
			if int64(i) < all%n {
				return all/n + 1
			}
			return all / n
		}))
	}
}
