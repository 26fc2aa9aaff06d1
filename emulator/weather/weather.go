package weather

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"example.com/relationindex/emulator/guard"
	"example.com/relationindex/internal/indexfile"
)

// Weather is the weather of one emulator, for any number of clients and databases. Its methods may be called by several
// goroutines at once.
type Weather struct {
	o       Options // scaled
	file    *indexfile.File
	guard   *guard.Guard
	started time.Time
	now     func() time.Time
	sleep   func(context.Context, time.Duration) error
	counts  counts

	mu          sync.Mutex
	random      *rand.Rand
	documents   pace                 // by full name
	collections pace                 // by database and id
	begun       map[string]time.Time // the first write, by database and id
	building    map[string]time.Time // the end, by an index's JSON
	databases   map[string]bool      // databases that calls have named
}

// Counts counts what the weather did.
type Counts struct {
	Calls     int64         `json:"calls"`
	Contended int64         `json:"contended"` // commits that waited for a document's turn, or were aborted because of it or of a lock
	Ramped    int64         `json:"ramped"`    // commits that waited for a collection's turn, or failed because of it
	Building  int64         `json:"building"`  // queries that failed because their index builds
	Spells    int64         `json:"spells"`    // calls that failed in a burst of errors
	Expired   int64         `json:"expired"`   // documents deleted by TTL
	Delay     time.Duration `json:"delay"`     // of all calls together
}

// String is for people.
func (c Counts) String() string {
	return fmt.Sprintf("%d calls were delayed by %v in all; %d commits met contention and %d the ramp, %d queries a building index, %d calls a burst of errors; %d documents expired",
		c.Calls, c.Delay.Round(time.Second), c.Contended, c.Ramped, c.Building, c.Spells, c.Expired)
}

type counts struct{ calls, contended, ramped, building, spells, expired, delay atomic.Int64 }

// New returns weather that begins now. indexes is the text of a firestore.indexes.json: its composite indexes build,
// documents with its ttl fields expire, and its index entries slow commits. A mistake in it or in o is an error that names the
// place.
func New(o Options, indexes []byte) (*Weather, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("weather: %w", err)
	}
	file, err := indexfile.Parse(indexes)
	if err != nil {
		return nil, fmt.Errorf("weather: %w", err)
	}
	w := &Weather{
		o: o.scaled(), file: file, guard: guard.New(file), now: time.Now, sleep: sleep, started: time.Now(),
		random:    rand.New(rand.NewPCG(o.Seed, 0)), //nolint:gosec // must be repeatable
		documents: pace{}, collections: pace{}, begun: map[string]time.Time{},
		building: map[string]time.Time{}, databases: map[string]bool{},
	}
	for _, x := range file.Indexes {
		w.Build(x, w.o.Building)
	}
	return w, nil
}

// Counts returns what the weather did so far.
func (w *Weather) Counts() Counts {
	c := &w.counts
	return Counts{c.calls.Load(), c.contended.Load(), c.ramped.Load(), c.building.Load(), c.spells.Load(), c.expired.Load(), time.Duration(c.delay.Load())}
}

// Close closes the connections on which documents are read before they are written.
func (w *Weather) Close() error { return w.guard.Close() }

// Unary is a [grpc.UnaryClientInterceptor]. It passes on rollbacks unchanged: without them, the emulator keeps locks.
func (w *Weather) Unary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) (err error) {
	if _, ok := req.(*pb.RollbackRequest); ok {
		return invoke(ctx, method, req, reply, cc, opts...)
	}
	writes := writesOf(req)
	if len(writes) == 0 {
		if err := w.read(ctx, req); err != nil {
			return err
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}
	if err := w.call(req); err != nil {
		return err
	}
	wait, err := w.queue(writes)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			w.giveBack(writes)
		}
	}()
	if err := w.pause(ctx, wait); err != nil {
		return err
	}
	latency, err := w.commit(ctx, cc.Target(), req)
	if err != nil {
		return err
	}
	if err := w.pause(ctx, latency); err != nil {
		return err
	}
	return w.locked(req, func() error { return invoke(ctx, method, req, reply, cc, opts...) })
}

// call counts a call, and returns an error if the call fails in a burst of errors.
func (w *Weather) call(req any) error {
	w.counts.calls.Add(1)
	if r, ok := req.(interface{ GetDatabase() string }); ok && r.GetDatabase() != "" {
		w.mu.Lock()
		w.databases[r.GetDatabase()] = true
		w.mu.Unlock()
	}
	return w.spell()
}

func writesOf(req any) []*pb.Write {
	if r, ok := req.(interface{ GetWrites() []*pb.Write }); ok {
		return r.GetWrites()
	}
	return nil
}

// Stream is a [grpc.StreamClientInterceptor].
func (w *Weather) Stream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	ctx, cancel := context.WithCancel(ctx)
	s, err := open(ctx, desc, cc, method, opts...)
	if err != nil {
		cancel()
		return nil, err
	}
	return &stream{ClientStream: s, weather: w, ctx: ctx, cancel: cancel}, nil
}

type stream struct {
	grpc.ClientStream
	weather *Weather
	ctx     context.Context    // of ClientStream, which a call of its Context would commit to one attempt
	cancel  context.CancelFunc // of a call that ends here
	failed  atomic.Pointer[error]
}

// SendMsg delays a message by the latency of a read. It passes on the end of a listener's target and the writes of mobile
// SDKs, neither slowed nor counted.
func (s *stream) SendMsg(req any) error {
	switch r := req.(type) {
	case *pb.WriteRequest:
		return s.ClientStream.SendMsg(req)
	case *pb.ListenRequest:
		if r.GetAddTarget() == nil {
			return s.ClientStream.SendMsg(req)
		}
	}
	if err := s.weather.read(s.ctx, req); err != nil {
		s.failed.Store(&err)
		s.cancel()
		return err
	}
	return s.ClientStream.SendMsg(req)
}

// read counts and delays a call without writes before it is sent, or returns the error with which the call fails.
func (w *Weather) read(ctx context.Context, req any) error {
	if err := w.call(req); err != nil {
		return err
	}
	if err := w.pause(ctx, w.draw(w.o.Latency.Read)); err != nil {
		return err
	}
	return w.query(req)
}

// RecvMsg returns the error that SendMsg stored, because listeners and proxies read errors only here.
func (s *stream) RecvMsg(reply any) error {
	err := s.ClientStream.RecvMsg(reply)
	if err == nil {
		return nil
	}
	s.cancel()
	if failed := s.failed.Load(); failed != nil {
		return *failed
	}
	return err
}

// pause waits for d before a call is sent. The error is that of ctx.
func (w *Weather) pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	if err := w.sleep(ctx, d); err != nil {
		return status.FromContextError(err).Err()
	}
	w.counts.delay.Add(int64(d))
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
