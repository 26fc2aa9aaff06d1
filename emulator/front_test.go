package emulator_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"example.com/relationindex/emulator/front"
	"example.com/relationindex/emulator/siteguard"
)

// Requests of other sites reach no emulator, which would accept them.
func TestOtherSites(t *testing.T) {
	t.Parallel()
	reached := 0
	emulator := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached++
		w.Header().Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	}))
	t.Cleanup(emulator.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := front.Serve(l, emulator.Listener.Addr().String(), siteguard.Guard{}, nil)
	t.Cleanup(func() { _ = f.Close() })
	for _, test := range []struct {
		host, origin string
		want         int
	}{
		{"", "", http.StatusOK},
		{"", "http://localhost:5173", http.StatusOK},
		{"", "https://evil.example", http.StatusForbidden},
		{"", "null", http.StatusForbidden},
		{"evil.example", "", http.StatusForbidden},
	} {
		before := reached
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String()+"/v1/projects/p/databases/d/documents/a/b", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = test.host
		if test.origin != "" {
			req.Header.Set("Origin", test.origin)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		allows := resp.Header.Get("Access-Control-Allow-Origin")
		if err != nil || resp.StatusCode != test.want || (reached > before) != (test.want == http.StatusOK) {
			t.Errorf("host %q, origin %q: %s %s, %v; want %d", test.host, test.origin, resp.Status, text, err, test.want)
		}
		if test.want == http.StatusForbidden && (allows != "" || !strings.Contains(string(text), "a server at localhost")) {
			t.Errorf("host %q, origin %q: it allows %q, and says %s", test.host, test.origin, allows, text)
		}
	}
}

// A stream that the server ends, with an error, ends for a client that has more to say: a write that
// rules reject.
func TestStreamEndsForClientWhenServerEndsIt(t *testing.T) {
	t.Parallel()
	listen := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	backend := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		if err := stream.RecvMsg(&wrapperspb.StringValue{}); err != nil {
			return err
		}
		if err := stream.SendMsg(wrapperspb.String("hello")); err != nil {
			return err
		}
		if err := stream.RecvMsg(&wrapperspb.StringValue{}); err != nil {
			return err
		}
		return status.Error(codes.PermissionDenied, "no")
	}))
	l := listen()
	go func() { _ = backend.Serve(l) }()
	t.Cleanup(backend.Stop)
	l2 := listen()
	f := front.Serve(l2, l.Addr().String(), siteguard.Guard{}, nil)
	t.Cleanup(func() { _ = f.Close() })
	conn, err := grpc.NewClient(l2.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, "/google.firestore.v1.Firestore/Write")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := stream.SendMsg(wrapperspb.String("x")); err != nil {
			t.Fatal(err)
		}
		if err = stream.RecvMsg(&wrapperspb.StringValue{}); err != nil && status.Code(err) != codes.PermissionDenied {
			t.Fatalf("the stream ended with %v", err)
		}
	}
	if err = stream.RecvMsg(&wrapperspb.StringValue{}); status.Code(err) != codes.PermissionDenied {
		t.Errorf("the stream ended with %v, want PermissionDenied", err)
	}
}

// The database of a request is known before the request goes on, whatever client sends it; who is refused then is told why.
func TestDatabaseOfRequest(t *testing.T) {
	const grpc, prefixHeader, paramsHeader = "application/grpc+proto", "google-cloud-resource-prefix", "x-goog-request-params"
	full := errors.New("no more, 100% full")
	var got [2]string
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := front.Serve(l, "127.0.0.1:1", siteguard.Guard{}, func(_ context.Context, project, database string) error {
		got = [2]string{project, database}
		return full
	})
	t.Cleanup(func() { _ = f.Close() })
	clients := map[string]http.RoundTripper{"": &http.Transport{}, grpc: &http.Transport{Protocols: new(http.Protocols)}}
	clients[grpc].(*http.Transport).Protocols.SetUnencryptedHTTP2(true)
	for name, tt := range map[string]struct {
		target, contentType, header, value string
		want                               [2]string
	}{
		"REST":             {target: "/v1/projects/demo-a/databases/(default)/documents/users/ada", want: [2]string{"demo-a", "(default)"}},
		"REST, encoded":    {target: "/v1/projects/demo-a/databases/%28default%29/documents:commit", want: [2]string{"demo-a", "(default)"}},
		"clear":            {target: "/emulator/v1/projects/demo-a/databases/blue/documents", want: [2]string{"demo-a", "blue"}},
		"WebChannel":       {target: "/google.firestore.v1.Firestore/Listen/channel?VER=8&database=projects%2Fdemo-a%2Fdatabases%2F(default)&RID=1", want: [2]string{"demo-a", "(default)"}},
		"an SDK":           {"/google.firestore.v1.Firestore/Listen", grpc, prefixHeader, "projects/demo-a/databases/(default)", [2]string{"demo-a", "(default)"}},
		"another client":   {"/google.firestore.v1.Firestore/Commit", grpc, paramsHeader, "database=projects%2Fdemo-a%2Fdatabases%2F%28default%29", [2]string{"demo-a", "(default)"}},
		"its document":     {"/google.firestore.v1.Firestore/GetDocument", grpc, paramsHeader, "name=projects/demo-a/databases/blue/documents/users/ada", [2]string{"demo-a", "blue"}},
		"none":             {target: "/"},
		"gRPC without":     {target: "/google.firestore.v1.Firestore/Listen", contentType: grpc},
		"nonsense":         {"/", grpc, paramsHeader, "%", [2]string{}},
		"no database":      {target: "/emulator/v1/projects/demo-a:export"},
		"a path in a path": {target: "/v1/projects/a/b/databases/c"},
	} {
		t.Run(name, func(t *testing.T) {
			got = [2]string{}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+l.Addr().String()+tt.target, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", tt.contentType)
			if tt.header != "" {
				req.Header.Set(tt.header, tt.value)
			}
			resp, err := clients[tt.contentType].RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if err != nil || got != tt.want {
				t.Errorf("%q, want %q; %s, %v", got, tt.want, resp.Status, err)
			}
			refused := resp.StatusCode == http.StatusBadRequest && strings.Contains(string(text), full.Error())
			if tt.contentType == grpc {
				refused = resp.StatusCode == http.StatusOK && resp.Header.Get("Grpc-Message") == "no%20more%2C%20100%25%20full"
			}
			if refused != (tt.want[0] != "") {
				t.Errorf("%s %v: %s, want it refused: %t", resp.Status, resp.Header, text, tt.want[0] != "")
			}
		})
	}
}
