package functions_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/feedtest"
)

func TestFeedRejectsInvalidQueries(t *testing.T) {
	t.Parallel()
	s := feedtest.Seeded(t, 2, schema.Config{NoOwnPosts: true})
	cursor := *s.Get("bob", "?limit=1").Page.Cursor
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		t.Fatal(err)
	}
	raw[0]++
	nextVersion := base64.RawURLEncoding.EncodeToString(raw)
	altered := cursor[:9] + strings.Map(func(r rune) rune { return map[bool]rune{true: 'B', false: 'A'}[r == 'A'] }, cursor[9:10]) + cursor[10:]
	for name, query := range map[string]string{
		"limit 0": "?limit=0", "limit -1": "?limit=-1", "limit 51": "?limit=51", "limit abc": "?limit=abc",
		"limit 1.5": "?limit=1.5", "no limit": "?limit=", "a large limit": "?limit=99999999999999999999", "limit twice": "?limit=1&limit=2",
		"cursor cut": "?cursor=" + cursor[:len(cursor)-1], "cursor cut to nothing": "?cursor=", "cursor altered": "?cursor=" + altered,
		"cursor of another version": "?cursor=" + nextVersion, "cursor twice": "?cursor=" + cursor + "&cursor=" + cursor,
		"cursor of no kind": "?cursor=hello", "long cursor": "?cursor=" + strings.Repeat("A", 5000),
		"broken encoding": "?limit=%zz",
		"news of no time": "?news=", "news of a word": "?news=latest", "news of a number": "?news=1700000000", "news of a day": "?news=2026-11-20",
		"news of another zone": "?news=2026-11-20T12:00:00%2B00:00", "news of nanoseconds": "?news=2026-11-20T12:00:00.1234567Z", "news of more digits": "?news=2026-11-20T12:00:00.120Z",
		"news before all years": "?news=0000-11-20T12:00:00Z", "news after all years": "?news=10000-11-20T12:00:00Z", "news of no minute": "?news=2026-11-20T12:60:00Z", "news with a comma": "?news=2026-11-20T12:00:00,1Z",
		"news twice": "?news=2026-11-20T12:00:00Z&news=2026-11-20T12:00:00Z", "news with a cursor": "?news=2026-11-20T12:00:00Z&cursor=" + cursor, "news of no ref": "?news=2026-11-20T12:00:00Z&ref=",
		"news without timelines": "?news=2026-11-20T12:00:00Z&source=timeline",
		"no ref":                 "?ref=", "long ref": "?ref=" + strings.Repeat("é", 129), "ref twice": "?ref=a&ref=a", "a ref that is no UTF-8": "?ref=%ff",
		"cursor of the feed for a ref": "?ref=topic&cursor=" + cursor, "long cursor of a ref": "?ref=topic&cursor=" + strings.Repeat("A", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			before := s.Meter.Counts().Requests
			s.Get("bob", query).WantFailure(t, http.StatusBadRequest, "invalid-argument")
			if n := s.Meter.Counts().Requests - before; n != 0 {
				t.Errorf("%d calls to Firestore for it", n)
			}
		})
	}
	s.Get("eve", "?cursor="+cursor).WantFailure(t, http.StatusBadRequest, "invalid-argument")
	if got := s.Get("bob", "?news=2026-11-20"); !strings.Contains(string(got.Body), "unchanged createdAt") {
		t.Errorf("the client is not told what to send: %s", got.Body)
	}
	for _, query := range []string{"?news=0001-01-01T00:00:00Z", "?news=9999-12-31T23:59:59.999999Z", "?limit=50&ref=topic&news=2026-11-20T12:00:00.1Z", "?source=pull&news=2026-11-20T12:00:00Z", "?limit=1", "?limit=50", "?cursor=" + cursor, "?cursor=" + cursor + "&limit=50&other=7&other=8", "?ref=" + strings.Repeat("é", 128)} {
		if got := s.Get("bob", query); got.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", query, got.StatusCode, got.Body)
		}
	}
}

func TestFeedIsOnlyRead(t *testing.T) {
	t.Parallel()
	s := feedtest.New(t, schema.Config{NoOwnPosts: true})
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		got := s.Call(method, "", "Authorization", "Bearer "+s.Token("bob"))
		got.WantFailure(t, http.StatusMethodNotAllowed, "method-not-allowed")
	}
	if got := s.Call(http.MethodOptions, ""); got.StatusCode != http.StatusNoContent || got.Header.Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("OPTIONS: %d %v", got.StatusCode, got.Header)
	}
}

func TestOriginsThatMayCallFeed(t *testing.T) {
	t.Parallel()
	const ours, theirs = "https://app.example.com", "https://evil.example.com"
	for name, test := range map[string]struct {
		configured []string
		origin     string
		want       string
	}{
		"none configured": {nil, ours, ""},
		"configured":      {[]string{ours, "http://localhost:5173"}, ours, ours},
		"another":         {[]string{ours}, theirs, ""},
		"any":             {[]string{"*"}, theirs, "*"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := feedtest.New(t, schema.Config{NoOwnPosts: true, Origins: test.configured})
			preflight := s.Call(http.MethodOptions, "", "Origin", test.origin, "Access-Control-Request-Method", "GET",
				"Access-Control-Request-Headers", "authorization,if-none-match,x-firebase-appcheck")
			if preflight.StatusCode != http.StatusNoContent || preflight.Header.Get("Access-Control-Allow-Origin") != test.want {
				t.Errorf("preflight: %d %v", preflight.StatusCode, preflight.Header)
			}
			for _, token := range []string{s.Token("bob"), "bad"} { // scripts read errors too
				got := s.Call(http.MethodGet, "", "Origin", test.origin, "Authorization", "Bearer "+token)
				if got.Header.Get("Access-Control-Allow-Origin") != test.want || got.Header.Get("Access-Control-Allow-Credentials") != "" {
					t.Errorf("%d: %v", got.StatusCode, got.Header)
				}
				if test.want != "" && got.Header.Get("Access-Control-Expose-Headers") != "Etag, Retry-After" {
					t.Errorf("scripts cannot read the ETag, or when to come again: %v", got.Header)
				}
			}
		})
	}
}

// The event of a post has at most 512 KB. A server may give it more later: that
// event is lost, and there is nothing to copy.
func TestFeedReturns900KBPosts(t *testing.T) {
	t.Parallel()
	s := feedtest.New(t, schema.Config{NoOwnPosts: true})
	s.Follow("bob", "ada")
	text := strings.Repeat("<script>alert(1)</script> ", 900_000/26)
	for _, id := range []string{"p1", "p2", "p3", "p4", "p5", "p6"} {
		s.Must(s.Client.Doc("posts/"+id).Set(t.Context(), map[string]any{"userId": "ada", "createdAt": feedtest.Noon}))
	}
	s.Settle()
	for _, id := range []string{"p1", "p2", "p3", "p4", "p5", "p6"} {
		s.Edit(id, firestore.Update{Path: "text", Value: text})
	}
	s.Settle()
	first := s.Get("bob", "")
	if first.IDs() != "p6 p5 p4" || first.Page.Cursor == nil || first.Page.Posts[0].Data["text"] != text {
		t.Fatalf("got %s of %d bytes", first.IDs(), len(first.Body))
	}
	second := s.Get("bob", "?cursor="+*first.Page.Cursor)
	if second.IDs() != "p3 p2 p1" {
		t.Errorf("second page: %s", second.IDs())
	}
	if got := first.Header.Get("Content-Type") + " " + first.Header.Get("X-Content-Type-Options"); got != "application/json nosniff" {
		t.Errorf("a browser may take it for %s", got)
	}
}

// Feed turns the errors of Firestore into responses that a client can handle.
func TestFirestoreFails(t *testing.T) {
	t.Parallel()
	for code, want := range map[codes.Code]int{
		codes.Aborted:          http.StatusServiceUnavailable,
		codes.PermissionDenied: http.StatusInternalServerError,
	} {
		t.Run(code.String(), func(t *testing.T) {
			t.Parallel()
			s := feedtest.New(t, schema.Config{NoOwnPosts: true}, failing(code))
			got := s.Get("bob", "")
			got.WantFailure(t, want, map[int]string{503: "unavailable", 500: "internal"}[want])
			if strings.Contains(string(got.Body), "broken on purpose") {
				t.Error("the client is told why")
			}
			if !strings.Contains(s.Log.String(), "broken on purpose") || !strings.Contains(s.Log.String(), `"severity":"ERROR"`) {
				t.Error("the log does not say why")
			}
		})
	}
}

// failing lets queries end with an error.
func failing(code codes.Code) wire.Interceptor {
	return wire.Interceptor{Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := open(ctx, desc, cc, method, opts...)
		return failingStream{s, code}, err
	}}
}

type failingStream struct {
	grpc.ClientStream
	code codes.Code
}

func (s failingStream) RecvMsg(reply any) error {
	if _, ok := reply.(*pb.RunQueryResponse); ok {
		return status.Error(s.code, "broken on purpose")
	}
	return s.ClientStream.RecvMsg(reply)
}
