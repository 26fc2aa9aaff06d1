package wire

import (
	"context"
	"fmt"
	"sync/atomic"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// Meter counts the operations of the clients that it intercepts as Firestore
// bills them: a read for each document returned, for each document asked for
// by name and not there, and for a query without results; a write for each
// document written; a delete for each deleted. The zero Meter is ready. It is
// safe for concurrent use.
type Meter struct {
	reads, writes, deletes, requests, retries, sent, received atomic.Int64

	unsized bool // sent and received are not counted
}

// Counts is what a Meter has counted.
type Counts struct {
	Reads    int64 `json:"reads"`
	Writes   int64 `json:"writes"`
	Deletes  int64 `json:"deletes"`
	Requests int64 `json:"requests"` // calls
	Retries  int64 `json:"retries"`  // of them, failed in a way for which the client library or this package makes them again
	Sent     int64 `json:"sentBytes"`
	Received int64 `json:"receivedBytes"`
}

// Counts is the sum so far.
func (m *Meter) Counts() Counts {
	return Counts{
		Reads: m.reads.Load(), Writes: m.writes.Load(), Deletes: m.deletes.Load(),
		Requests: m.requests.Load(), Retries: m.retries.Load(), Sent: m.sent.Load(), Received: m.received.Load(),
	}
}

// Minus is what was counted since before.
func (c Counts) Minus(before Counts) Counts {
	return Counts{
		Reads: c.Reads - before.Reads, Writes: c.Writes - before.Writes, Deletes: c.Deletes - before.Deletes,
		Requests: c.Requests - before.Requests, Retries: c.Retries - before.Retries,
		Sent: c.Sent - before.Sent, Received: c.Received - before.Received,
	}
}

// Plus is the sum of both.
func (c Counts) Plus(other Counts) Counts { return c.Minus(Counts{}.Minus(other)) }

func (c Counts) String() string {
	return fmt.Sprintf("%d reads, %d writes, %d deletes, %d requests", c.Reads, c.Writes, c.Deletes, c.Requests)
}

// Interceptor is the meter as a part of a client.
func (m *Meter) Interceptor() Interceptor {
	return Interceptor{Unary: m.unary, Stream: m.stream}
}

func (m *Meter) unary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	m.sending(req)
	err := invoke(ctx, method, req, reply, cc, opts...)
	if err != nil {
		m.failed(err)
		return err // refused writes are not billed
	}
	m.receiving(reply)
	switch r := req.(type) {
	case *pb.CommitRequest:
		m.wrote(r.GetWrites(), nil)
	case *pb.BatchWriteRequest:
		m.wrote(r.GetWrites(), reply.(*pb.BatchWriteResponse))
	case *pb.GetDocumentRequest:
		m.reads.Add(1)
	}
	if list, ok := reply.(*pb.ListDocumentsResponse); ok {
		m.reads.Add(int64(max(1, len(list.GetDocuments()))))
	}
	return nil
}

func (m *Meter) wrote(writes []*pb.Write, batch *pb.BatchWriteResponse) {
	for i, w := range writes {
		if batch != nil && batch.GetStatus()[i].GetCode() != 0 {
			continue
		}
		if w.GetDelete() != "" {
			m.deletes.Add(1)
		} else {
			m.writes.Add(1)
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

// failed counts a call that will be made again, unless it was the last try.
func (m *Meter) failed(err error) {
	switch status.Code(err) {
	case codes.Aborted, codes.Unavailable, codes.ResourceExhausted:
		m.retries.Add(1)
	default:
	}
}

func (m *Meter) sending(req any) {
	m.requests.Add(1)
	if p, ok := req.(proto.Message); ok && !m.unsized {
		m.sent.Add(int64(proto.Size(p)))
	}
}

func (m *Meter) receiving(reply any) {
	if p, ok := reply.(proto.Message); ok && !m.unsized {
		m.received.Add(int64(proto.Size(p)))
	}
}

// meteredStream counts the documents of one streamed answer.
type meteredStream struct {
	grpc.ClientStream
	meter *Meter
	query bool
	found int64
}

func (s *meteredStream) SendMsg(req any) error {
	s.meter.sending(req)
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
			s.meter.reads.Add(1) // a query without results costs one read
		}
		return err
	}
	s.meter.receiving(reply)
	switch r := reply.(type) {
	case *pb.BatchGetDocumentsResponse:
		if r.GetResult() != nil {
			s.read()
		}
	case *pb.RunQueryResponse:
		if r.GetDocument() != nil {
			s.read()
		}
	}
	return nil
}

func (s *meteredStream) read() {
	s.found++
	s.meter.reads.Add(1)
}
