package bench

import (
	"context"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

const manyFollowers = 10_000

// sizes are what a page of 20 posts takes, in bytes.
type sizes struct {
	plain, packed int   // what Feed sends to the client, and compressed
	read          int64 // what Feed receives from Firestore
	direct        int64 // what the client receives that makes the query itself, without the posts
}

func measureSizes(tb testing.TB, s *setting) (z sizes) {
	tb.Helper()
	before := s.meter.Counts().Received
	z.plain = s.serve(tb, "identity").Body.Len()
	z.read = s.meter.Counts().Received - before
	z.packed = s.serve(tb, "gzip").Body.Len()
	z.direct = s.query(tb)
	return z
}

// serve answers one request, without a network.
func (s *setting) serve(tb testing.TB, encoding string) *httptest.ResponseRecorder {
	tb.Helper()
	req := s.request(tb, "/Feed?"+page, 0)
	req.Header.Set("Accept-Encoding", encoding)
	w := httptest.NewRecorder()
	s.feed.ServeHTTP(w, req)
	if w.Code != http.StatusOK {
		tb.Fatalf("Feed answers %d %s", w.Code, w.Body)
	}
	return w
}

// query makes the query of a client, bound by the rules.
func (s *setting) query(tb testing.TB) (received int64) {
	tb.Helper()
	client, meter := s.underRules(tb)
	docs, err := client.Collection("_relations").Where("followers", "array-contains", s.reader).
		OrderBy("createdAt", firestore.Desc).Limit(pageOf).Documents(tb.Context()).GetAll()
	if err != nil || len(docs) != pageOf {
		tb.Fatalf("%d relations, %v", len(docs), err)
	}
	return meter.Counts().Received
}

// underRules returns the reader's own client, and its meter.
func (s *setting) underRules(tb testing.TB) (*firestore.Client, *wire.Meter) {
	tb.Helper()
	meter := &wire.Meter{}
	conn, err := grpc.NewClient("passthrough:///"+testkit.Machine(tb).Emulator.FirestoreHost(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)),
		grpc.WithPerRPCCredentials(bearer(testkit.Google.IDToken(s.project, s.reader, nil))),
		grpc.WithStreamInterceptor(meter.Interceptor().Stream))
	if err != nil {
		tb.Fatal(err)
	}
	client, err := firestore.NewClient(tb.Context(), s.project, option.WithGRPCConn(conn))
	if err != nil {
		tb.Fatal(err)
	}
	return client, meter
}

// allocated is how many bytes a request allocates, its client left out.
func (s *setting) allocated(tb testing.TB, requests int) int64 {
	tb.Helper()
	s.serve(tb, "identity") // makes what is made once
	reqs := make([]*http.Request, requests)
	for i := range reqs {
		reqs[i] = s.request(tb, "/Feed?"+page, 0)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, req := range reqs {
		s.feed.ServeHTTP(httptest.NewRecorder(), req)
	}
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc-before.TotalAlloc) / int64(requests) //nolint:gosec // far below 2^63
}

// bearer is a token as gRPC credentials, allowed on the emulator's plain connection.
type bearer string

func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

func (bearer) RequireTransportSecurity() bool { return false }
