package guard

import (
	"context"
	"fmt"
	"math"

	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Connect prepares a connection to an emulator (host:port) behind g. It returns the connection as an option for
// [firestore.NewClient], which also works where FIRESTORE_EMULATOR_HOST is set. The connection has the owner's
// rights: rules do not apply. The client's Close closes the connection. Connect fails for a malformed host alone,
// because the connection is made at its first use.
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
