package functions_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/feedtest"
)

// Every function creates the keys of cursors at its start, except Feed, whose account may only read. Until
// then, Feed answers that clients retry later.
func TestStartingFunctionsCreateCursorKeys(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Sweep", "OnPostWritten"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			readOnly := false
			s := feedtest.New(t, schema.Config{NoOwnPosts: true}, wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
				if readOnly && strings.HasSuffix(method, "/Commit") {
					return status.Error(codes.PermissionDenied, "Missing or insufficient permissions.")
				}
				return call(ctx, method, req, reply, cc, opts...)
			}})
			s.Follow("bob", "ada")
			s.Post("p1", "ada", feedtest.Noon)
			s.Post("p2", "ada", feedtest.Noon)
			s.Settle()
			readOnly = true
			if err := s.Handlers().Ready(t.Context(), triggers.Feed); err != nil {
				t.Fatal(err)
			}
			if got := s.Get("bob", "?limit=1"); got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
				t.Errorf("without keys, Feed answers %d %s", got.StatusCode, got.Body)
			}
			if got := s.Get("bob", "?news=2026-11-20T12:00:00Z"); got.Page.News == nil || !*got.Page.News {
				t.Errorf("a question that needs none is answered %d %s", got.StatusCode, got.Body)
			}
			if got := s.Get("bob", ""); got.IDs() != "p2 p1" {
				t.Errorf("the only page has %q", got.IDs())
			}
			readOnly = false
			if err := s.Handlers().Ready(t.Context(), name); err != nil {
				t.Fatal(err)
			}
			readOnly = true
			first := s.Get("bob", "?limit=1")
			if first.Page.Cursor == nil {
				t.Fatalf("with keys, Feed answers %d %s", first.StatusCode, first.Body)
			}
			if got := s.Get("bob", "?limit=1&cursor="+*first.Page.Cursor); got.IDs() != "p1" {
				t.Errorf("the second page has %q", got.IDs())
			}
		})
	}
}
