package guard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
)

// readers are connections of the guard's own, one for each emulator. Reads of the guard do not
// use the caller's connection. So no interceptor of the caller counts them or makes
// them fail.
type readers struct {
	mu    sync.Mutex
	conns map[string]*grpc.ClientConn // by target
}

func (r *readers) conn(target string) (*grpc.ClientConn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.conns[target]; c != nil {
		return c, nil
	}
	c, err := grpc.NewClient(target,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)))
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", target, err)
	}
	if r.conns == nil {
		r.conns = map[string]*grpc.ClientConn{}
	}
	r.conns[target] = c
	return c, nil
}

// close closes all connections; a later read connects again.
func (g *LimitGuard) close() error {
	g.readers.mu.Lock()
	defer g.readers.mu.Unlock()
	var errs []error
	for _, c := range g.readers.conns {
		errs = append(errs, c.Close())
	}
	g.readers.conns = nil
	return errors.Join(errs...)
}

// read returns documents in their current state, outside of any transaction. Nobody else can have
// changed the documents that a transaction has locked.
func (g *LimitGuard) read(ctx context.Context, target, database string, names []string) (map[string]fields, error) {
	conn, err := g.readers.conn(target)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(metadata.NewOutgoingContext(ctx, metadata.Pairs(
		"authorization", "Bearer owner", // rules do not apply to the owner
		"google-cloud-resource-prefix", database,
	)))
	defer cancel()
	s, err := pb.NewFirestoreClient(conn).BatchGetDocuments(ctx, &pb.BatchGetDocumentsRequest{Database: database, Documents: names})
	if err != nil {
		return nil, err
	}
	found := map[string]fields{}
	for {
		answer, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		if d := answer.GetFound(); d != nil {
			found[d.GetName()] = d.GetFields()
			if found[d.GetName()] == nil {
				found[d.GetName()] = fields{} // without fields, but it exists
			}
		}
	}
}
