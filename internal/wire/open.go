// Package wire opens Firestore clients and intercepts their calls. It counts operations
// as they are billed, retries aborted commits, and limits the answers of reads.
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

// Interceptor intercepts the calls of a client. Either field may be nil.
type Interceptor struct {
	Unary  grpc.UnaryClientInterceptor
	Stream grpc.StreamClientInterceptor
}

// Open calls [OpenDatabase] for the (default) database.
func Open(ctx context.Context, project, emulatorHost string, interceptors ...Interceptor) (*firestore.Client, error) {
	return OpenDatabase(ctx, project, "", emulatorHost, interceptors...)
}

// OpenDatabase returns a client of a project's database; "" is (default). With an
// emulatorHost, the client connects to that emulator as the owner, who bypasses rules.
// With "", it connects to production with the default credentials.
//
// The client retries writes that a lock aborted, and reruns transactions that Firestore
// has closed. A query without an index fails with [ErrNoIndex]. [WithMask], [WithCeiling]
// and [WithMeter] apply; meters count each try. Interceptors run in the given order, and also see each try.
func OpenDatabase(ctx context.Context, project, database, emulatorHost string, interceptors ...Interceptor) (*firestore.Client, error) {
	own := []Interceptor{{Unary: retryAborted, Stream: maskReads}, {Unary: rerunClosed, Stream: rerunClosedReads}, {Stream: endLarge}, {Stream: tellNoIndex}, {Unary: meterRun, Stream: meterRunReads}}
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

// OpenUnderRules returns an emulator client that is subject to rules, like an app. [As]
// sets the caller.
func OpenUnderRules(ctx context.Context, project, emulatorHost string, interceptors ...Interceptor) (*firestore.Client, error) {
	conn, err := Connect(emulatorHost, interceptors...)
	if err != nil {
		return nil, err
	}
	return firestore.NewClient(ctx, project, option.WithGRPCConn(conn))
}

// As returns a context whose calls come from the account of an ID token.
func As(ctx context.Context, token string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
}

// chain returns dial options that run interceptors in their order.
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

// Connect returns a connection to an emulator, without credentials. Interceptors run in
// the given order.
func Connect(emulatorHost string, interceptors ...Interceptor) (*grpc.ClientConn, error) {
	return connect(emulatorHost, chain(interceptors))
}

// connect sets no limit on the size of a message: Firestore has its own.
func connect(emulatorHost string, dial []grpc.DialOption) (*grpc.ClientConn, error) {
	conn, err := grpc.NewClient("passthrough:///"+emulatorHost, append(dial,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32)))...)
	if err != nil {
		return nil, fmt.Errorf("connect to the Firestore emulator at %s: %w", emulatorHost, err)
	}
	return conn, nil
}

// owner is the credential of a caller that bypasses rules in the emulator.
type owner struct{}

func (owner) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer owner"}, nil
}

func (owner) RequireTransportSecurity() bool { return false }
