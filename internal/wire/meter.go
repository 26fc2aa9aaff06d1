package wire

import (
	"context"
	"fmt"
	"sync"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// Meter counts the operations of the clients that it intercepts, as Firestore bills them:
//
//   - a read for each document returned, for each document requested by name that does
//     not exist, and for each query without results;
//   - a write for each document written;
//   - a delete for each document deleted.
//
// The zero Meter is ready for use. A Meter is safe for concurrent use.
type Meter struct {
	mu     sync.Mutex
	counts Counts

	unsized bool // Sent and Received stay 0
}

// Counts holds the numbers of a Meter.
type Counts struct {
	Reads    int64 `json:"reads"`
	Writes   int64 `json:"writes"`
	Deletes  int64 `json:"deletes"`
	Requests int64 `json:"requests"` // calls
	Retries  int64 `json:"retries"`  // calls whose error is retried
	Sent     int64 `json:"sentBytes"`
	Received int64 `json:"receivedBytes"`
}

// Counts returns the numbers so far.
func (m *Meter) Counts() Counts {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts
}

// Add adds c to the counts of m, such as a part of work done for several runs.
func (m *Meter) Add(c Counts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts = m.counts.Plus(c)
}

// Minus returns the counts since before.
func (c Counts) Minus(before Counts) Counts {
	return c.with(before, func(now, before int64) int64 { return now - before })
}

// Plus returns the sum of both.
func (c Counts) Plus(other Counts) Counts {
	return c.with(other, func(a, b int64) int64 { return a + b })
}

// with combines each number of c with the same number of other.
func (c Counts) with(other Counts, combine func(a, b int64) int64) Counts {
	return Counts{
		Reads: combine(c.Reads, other.Reads), Writes: combine(c.Writes, other.Writes), Deletes: combine(c.Deletes, other.Deletes),
		Requests: combine(c.Requests, other.Requests), Retries: combine(c.Retries, other.Retries),
		Sent: combine(c.Sent, other.Sent), Received: combine(c.Received, other.Received),
	}
}

func (c Counts) String() string {
	return fmt.Sprintf("%d reads, %d writes, %d deletes, %d requests", c.Reads, c.Writes, c.Deletes, c.Requests)
}

// Interceptor returns the meter as an interceptor of a client.
func (m *Meter) Interceptor() Interceptor {
	return Interceptor{Unary: m.unary, Stream: m.stream}
}

func (m *Meter) unary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	m.Add(Counts{Requests: 1, Sent: m.size(req)})
	err := invoke(ctx, method, req, reply, cc, opts...)
	if err != nil {
		m.failed(err)
		return err // rejected writes are not billed
	}
	used := Counts{Received: m.size(reply)}
	switch r := req.(type) {
	case *pb.CommitRequest:
		used.wrote(r.GetWrites(), nil)
	case *pb.BatchWriteRequest:
		used.wrote(r.GetWrites(), reply.(*pb.BatchWriteResponse))
	case *pb.GetDocumentRequest:
		used.Reads = 1
	}
	if list, ok := reply.(*pb.ListDocumentsResponse); ok {
		used.Reads = int64(max(1, len(list.GetDocuments())))
	}
	m.Add(used)
	return nil
}

func (c *Counts) wrote(writes []*pb.Write, batch *pb.BatchWriteResponse) {
	for i, w := range writes {
		if batch != nil && batch.GetStatus()[i].GetCode() != 0 {
			continue
		}
		if w.GetDelete() != "" {
			c.Deletes++
		} else {
			c.Writes++
		}
	}
}

func (m *Meter) stream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := open(ctx, desc, cc, method, opts...)
	if err != nil {
		m.failed(err)
		return nil, err
	}
	return &meteredStream{ClientStream: s, meter: m}, nil
}

// failed counts an error that the client library or this package retries,
// even at the last try.
func (m *Meter) failed(err error) {
	switch status.Code(err) {
	case codes.Aborted, codes.Unavailable, codes.ResourceExhausted:
		m.Add(Counts{Retries: 1})
	default:
	}
}

func (m *Meter) size(message any) int64 {
	if p, ok := message.(proto.Message); ok && !m.unsized {
		return int64(proto.Size(p))
	}
	return 0
}

// meteredStream counts the documents of one streamed answer.
type meteredStream struct {
	grpc.ClientStream
	meter *Meter
	query bool
	found int64
}

func (s *meteredStream) SendMsg(req any) error {
	s.meter.Add(Counts{Requests: 1, Sent: s.meter.size(req)})
	switch req.(type) {
	case *pb.RunQueryRequest, *pb.RunAggregationQueryRequest:
		s.query = true
	}
	return s.ClientStream.SendMsg(req)
}

func (s *meteredStream) RecvMsg(reply any) error {
	err := s.ClientStream.RecvMsg(reply)
	if err != nil {
		s.meter.failed(err)
		if s.query && s.found == 0 {
			s.query = false
			s.meter.Add(Counts{Reads: 1}) // a query without results costs one read
		}
		return err
	}
	used := Counts{Received: s.meter.size(reply)}
	switch r := reply.(type) {
	case *pb.BatchGetDocumentsResponse:
		if r.GetResult() != nil {
			used.Reads = 1
		}
	case *pb.RunQueryResponse:
		if r.GetDocument() != nil {
			used.Reads = 1
		}
	}
	s.found += used.Reads
	s.meter.Add(used)
	return nil
}
