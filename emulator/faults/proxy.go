package faults

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"example.com/relationindex/internal/wire"
)

// Proxy is a Firestore server on this machine that passes every call on to an emulator through
// interceptors. It is for clients in other processes, because these do not share the memory of
// a Meter or a Faults.
//
// It speaks gRPC only, so neither browsers nor rules tests can use it. It
// passes on the identity that the caller claims.
type Proxy struct {
	host  string
	close func() error
}

// Serve starts a proxy in front of an emulator. It ends with ctx or with Close.
// Interceptors run in the order given and see each try of a client.
func Serve(ctx context.Context, emulatorHost string, interceptors ...wire.Interceptor) (*Proxy, error) {
	conn, err := wire.Connect(emulatorHost, interceptors...)
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("port of the proxy: %w", err), conn.Close())
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(math.MaxInt32), grpc.MaxSendMsgSize(math.MaxInt32), grpc.UnknownServiceHandler(forward(conn))) //nolint:contextcheck // a call has its caller's
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	p := &Proxy{host: listener.Addr().String()}
	p.close = sync.OnceValue(func() error {
		server.Stop()
		err := <-served
		if errors.Is(err, grpc.ErrServerStopped) { // it was stopped before it served
			err = nil
		}
		return errors.Join(err, conn.Close())
	})
	context.AfterFunc(ctx, func() { _ = p.Close() }) // a caller of Close gets its error
	return p, nil
}

// Host returns the proxy's host:port, a value for FIRESTORE_EMULATOR_HOST.
func (p *Proxy) Host() string { return p.host }

// Close ends the proxy and the calls under way. You may call it again.
func (p *Proxy) Close() error { return p.close() }

// forwarded returns ctx with the caller's metadata for Firestore. Its
// deadline and cancellation are those of ctx.
func forwarded(ctx context.Context) context.Context {
	in, _ := metadata.FromIncomingContext(ctx)
	out := metadata.MD{}
	for key, values := range in {
		if key == "authorization" || strings.HasPrefix(key, "google-cloud-") || strings.HasPrefix(key, "x-goog-") {
			out[key] = values
		}
	}
	return metadata.NewOutgoingContext(ctx, out)
}
