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

// Proxy is a Firestore server on this machine that passes every call on to an
// emulator through interceptors: those of clients in other processes, whose
// memory a Meter or a Faults does not share.
//
// It speaks gRPC only, so neither browsers nor rules tests can use it; and it
// passes on who the caller claims to be.
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
		if errors.Is(err, grpc.ErrServerStopped) { // it had not begun to serve
			err = nil
		}
		return errors.Join(err, conn.Close())
	})
	context.AfterFunc(ctx, func() { _ = p.Close() }) // who calls Close gets its error
	return p, nil
}

// Host is the proxy's host:port, a value for FIRESTORE_EMULATOR_HOST.
func (p *Proxy) Host() string { return p.host }

// Close ends the proxy and the calls under way. It may be called again.
func (p *Proxy) Close() error { return p.close() }

// forwarded is ctx with what the caller sent along that concerns Firestore. A
// deadline and a cancellation go with ctx itself.
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
