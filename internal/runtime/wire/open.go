// Package wire connects to Firestore and reads what goes over the connection: it
// counts operations as they are billed.
package wire

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
)

// Interceptor sees the calls of a client. Either part may be nil.
type Interceptor struct {
	Unary  grpc.UnaryClientInterceptor
	Stream grpc.StreamClientInterceptor
}

// Open is [OpenDatabase] for the (default) database.
func Open(ctx context.Context, project, emulatorHost string, interceptors ...Interceptor) (*firestore.Client, error) {
	return OpenDatabase(ctx, project, "", emulatorHost, interceptors...)
}

// OpenDatabase is a client of a project's database; "" is (default). With an emulator's host it
// connects there, as the owner whom rules do not bind; with "" to production,
// with the default credentials. Writes that a lock aborted are repeated,
// transactions that are found closed run again, and the masks of WithMask and
// the ceilings of WithCeiling apply. The meters of WithMeter count each try.
// Interceptors run in the order given and see each try.
func OpenDatabase(ctx context.Context, project, database, emulatorHost string, interceptors ...Interceptor) (*firestore.Client, error) {
	own := []Interceptor{{Unary: retryAborted, Stream: maskReads}, {Unary: rerunClosed, Stream: rerunClosedReads}, {Stream: endLarge}, {Unary: meterRun, Stream: meterRunReads}}
	dial := chain(append(own, interceptors...))
	var opts []option.ClientOption
	if emulatorHost == "" {
		for _, d := range dial {
			opts = append(opts, option.WithGRPCDialOption(d))
		}
	} else {
		conn, err := connect(emulatorHost, append(dial, grpc.WithPerRPCCredentials(owner{})))
		if err != nil {
			return nil, err
		}
		opts = append(opts, option.WithGRPCConn(conn))
	}
	client, err := firestore.NewClientWithDatabase(ctx, project, cmp.Or(database, firestore.DefaultDatabaseID), opts...)
	if err != nil {
		return nil, fmt.Errorf("open database %q of project %q: %w", cmp.Or(database, firestore.DefaultDatabaseID), project, err)
	}
	return client, nil
}

// OpenUnderRules is a client of the emulator whom rules bind, as apps have it. Who
// calls is said by [As].
func OpenUnderRules(ctx context.Context, project, emulatorHost string, interceptors ...Interceptor) (*firestore.Client, error) {
	conn, err := Connect(emulatorHost, interceptors...)
	if err != nil {
		return nil, err
	}
	return firestore.NewClient(ctx, project, option.WithGRPCConn(conn))
}

// As makes the calls of a context those of the account that an ID token is for.
func As(ctx context.Context, token string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
}

// chain makes a connection run the interceptors in their order.
func chain(interceptors []Interceptor) []grpc.DialOption {
	var dial []grpc.DialOption
	for _, i := range interceptors {
		if i.Unary != nil {
			dial = append(dial, grpc.WithChainUnaryInterceptor(i.Unary))
		}
		if i.Stream != nil {
			dial = append(dial, grpc.WithChainStreamInterceptor(i.Stream))
		}
	}
	return dial
}

// Connect returns a connection to an emulator that sends no credentials. Interceptors
// run in the order given.
func Connect(emulatorHost string, interceptors ...Interceptor) (*grpc.ClientConn, error) {
	return connect(emulatorHost, chain(interceptors))
}

// connect sets no limit of its own on a message: Firestore has one.
func connect(emulatorHost string, dial []grpc.DialOption) (*grpc.ClientConn, error) {
	conn, err := grpc.NewClient("passthrough:///"+emulatorHost, append(dial,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32)))...)
	if err != nil {
		return nil, fmt.Errorf("connect to the Firestore emulator at %s: %w", emulatorHost, err)
	}
	return conn, nil
}

// owner is how the emulator knows a caller that rules do not bind.
type owner struct{}

func (owner) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer owner"}, nil
}

func (owner) RequireTransportSecurity() bool { return false }
