package wire

import (
	"context"

	"google.golang.org/grpc"
)

// WithMeter is ctx with a meter that counts the calls under it, whichever client
// of Open makes them: those of one run of a function. It takes the place of a
// meter that ctx has. Sent and Received stay 0: to measure every message takes
// more time than a run has to spare for its own log.
func WithMeter(ctx context.Context) (context.Context, *Meter) {
	m := &Meter{unsized: true}
	return context.WithValue(ctx, meterKey{}, m), m
}

// MeterOf is the meter that WithMeter gave ctx; nil without.
func MeterOf(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}

type meterKey struct{}

// meterRun counts a call for the meter of its context, as [Meter.Interceptor]
// does for all.
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

// Share adds c to meters in equal parts, as far as whole numbers can be: the
// first get what is left over. The parts add up to c. Without meters it does nothing.
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
