package guard

import (
	"context"
	"fmt"
	"math"

	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Connect opens a connection to an emulator (host:port) behind g, and returns the option by
// which [firestore.NewClient] takes it, also where FIRESTORE_EMULATOR_HOST is set. It is the
// owner's, whom rules do not bind. The client's Close closes it. The connection is made
// when it is first used: Connect fails for a malformed host alone.
//
// [firestore.NewClient]: https://pkg.go.dev/cloud.google.com/go/firestore#NewClient
func (g *Guard) Connect(host string) (option.ClientOption, error) {
	conn, err := grpc.NewClient("passthrough:///"+host, append(g.DialOptions(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithPerRPCCredentials(owner{}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)))...)
	if err != nil {
		return nil, fmt.Errorf("connect to the emulator at %q: %w", host, err)
	}
	return option.WithGRPCConn(conn), nil
}

// owner is the emulator's token for all rights.
type owner struct{}

func (owner) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer owner"}, nil
}

func (owner) RequireTransportSecurity() bool { return false }
