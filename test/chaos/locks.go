package chaos

import (
	"context"
	"sync"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// idleTransaction is the longest time that a transaction may stay unused. Firestore and the emulator
// allow a minute. For that long, the locks of a killed process would delay everything else: few kills
// would fit a run, and little would happen after each.
const idleTransaction = 3 * time.Second

// locks rolls back unused transactions, as Firestore does, but sooner. Its interceptor must see the
// calls that the server sees.
type locks struct {
	mu   sync.Mutex
	open map[string]*transaction // by id
}

// transaction is a transaction that has begun and not ended.
type transaction struct {
	database string
	conn     *grpc.ClientConn
	sent     metadata.MD // metadata of the call that began it
	calls    int         // under way
	used     time.Time   // when the last call ended
}

func newLocks() *locks { return &locks{open: map[string]*transaction{}} }

// watch rolls back unused transactions until ctx ends.
func (l *locks) watch(ctx context.Context) {
	tick := time.NewTicker(idleTransaction / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for id, t := range l.idle(now) {
				ctx := metadata.NewOutgoingContext(ctx, t.sent)
				// The rollback may fail if the transaction has just ended. Otherwise the server ends it in a minute.
				_, _ = pb.NewFirestoreClient(t.conn).Rollback(ctx, &pb.RollbackRequest{Database: t.database, Transaction: []byte(id)})
			}
		}
	}
}

// idle removes and returns the transactions that have been unused for too long.
func (l *locks) idle(now time.Time) map[string]*transaction {
	l.mu.Lock()
	defer l.mu.Unlock()
	idle := map[string]*transaction{}
	for id, t := range l.open {
		if t.calls == 0 && now.Sub(t.used) > idleTransaction {
			idle[id] = t
			delete(l.open, id)
		}
	}
	return idle
}

// use notes the begin of a transaction's call, and returns a function that notes its end.
func (l *locks) use(id []byte) (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.open[string(id)]
	if t == nil {
		return func() {}
	}
	t.calls++
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		t.calls--
		t.used = time.Now()
	})
}

func (l *locks) unary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	var id []byte
	if r, ok := req.(interface{ GetTransaction() []byte }); ok {
		id = r.GetTransaction()
	}
	defer l.use(id)()
	err := invoke(ctx, method, req, reply, cc, opts...)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch r := req.(type) {
	case *pb.BeginTransactionRequest:
		if begun, ok := reply.(*pb.BeginTransactionResponse); ok && err == nil {
			sent, _ := metadata.FromOutgoingContext(ctx)
			l.open[string(begun.GetTransaction())] = &transaction{database: r.GetDatabase(), conn: cc, sent: sent, used: time.Now()}
		}
	case *pb.CommitRequest, *pb.RollbackRequest:
		if err == nil {
			delete(l.open, string(id))
		}
	}
	return err
}

func (l *locks) stream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := open(ctx, desc, cc, method, opts...)
	if err != nil {
		return nil, err
	}
	return &lockingStream{ClientStream: s, locks: l, end: func() {}}, nil
}

// lockingStream is a read, in a transaction or not.
type lockingStream struct {
	grpc.ClientStream
	locks *locks
	end   func()
}

func (s *lockingStream) SendMsg(req any) error {
	if r, ok := req.(interface{ GetTransaction() []byte }); ok {
		s.end = s.locks.use(r.GetTransaction())
	}
	err := s.ClientStream.SendMsg(req)
	if err != nil {
		s.end()
	}
	return err
}

func (s *lockingStream) RecvMsg(reply any) error {
	err := s.ClientStream.RecvMsg(reply)
	if err != nil { // also at the end of the stream
		s.end()
	}
	return err
}
