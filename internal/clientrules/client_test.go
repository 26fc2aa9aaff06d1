package clientrules

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// A user is who sends a request: the uid of the account, or one of the two below.
type user string

const (
	// anonymous sends no token.
	anonymous user = ""
	// owner is the emulator's name for the server libraries: no rule binds it.
	owner user = "owner"
)

// dial returns a client that sends every request as u. The Go library is a server library, whose credentials rules
// do not bind; with an end user's ID token in their place it is judged as the mobile and web libraries are.
func dial(t *testing.T, project string, u user) *firestore.Client {
	t.Helper()
	opts := []grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)),
	}
	switch u {
	case anonymous:
	case owner:
		opts = append(opts, grpc.WithPerRPCCredentials(bearer("owner")))
	default:
		opts = append(opts, grpc.WithPerRPCCredentials(bearer(idToken(t, project, u))))
	}
	conn, err := grpc.NewClient("passthrough:///"+firestoreHost, opts...)
	if err != nil {
		t.Fatalf("dial %s: %v", firestoreHost, err)
	}
	// The connection goes last, so it wins over the administrator's one that the library makes when
	// FIRESTORE_EMULATOR_HOST is set.
	client, err := firestore.NewClient(t.Context(), project, option.WithGRPCConn(conn))
	if err != nil {
		t.Fatalf("new client: %v", err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Errorf("close client: %v", err)
		}
	})
	return client
}

// bearer is a token as gRPC credentials, allowed on the emulator's plain-text connection.
type bearer string

func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

func (bearer) RequireTransportSecurity() bool { return false }

// idToken returns an unsigned Firebase ID token for u: the emulator reads its claims and checks no signature.
// Production refuses it.
func idToken(t *testing.T, project string, u user) string {
	t.Helper()
	part := func(claims map[string]any) string {
		b, err := json.Marshal(claims)
		if err != nil {
			t.Fatalf("encode token: %v", err)
		}
		return base64.RawURLEncoding.EncodeToString(b)
	}
	now := time.Now()
	header := part(map[string]any{"alg": "none", "typ": "JWT"})
	payload := part(map[string]any{
		"iss":     "https://securetoken.google.com/" + project,
		"aud":     project,
		"sub":     string(u),
		"user_id": string(u),
		"uid":     string(u),
		"iat":     now.Unix(),
		"exp":     now.Add(time.Hour).Unix(),
	})
	return fmt.Sprintf("%s.%s.", header, payload)
}
