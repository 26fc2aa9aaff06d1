package functions_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/feedtest"
	"example.com/relationindex/testkit/tokens"
)

// The code path of production, with really signed tokens. The tests of internal/identity
// cover the rejections; this one covers the responses.
func TestFeedRejectsInvalidTokens(t *testing.T) {
	t.Parallel()
	s := feedtest.New(t, schema.Config{NoOwnPosts: true})
	good := s.Token("bob")
	testkit.Google.Disable("disabled-" + s.ID)
	for name, headers := range map[string][]string{
		"missing":           nil,
		"empty":             {"Authorization", ""},
		"no token":          {"Authorization", "Bearer "},
		"another scheme":    {"Authorization", "Basic " + good},
		"no scheme":         {"Authorization", good},
		"twice":             {"Authorization", "Bearer " + good, "Authorization", "Bearer " + good},
		"not a token":       {"Authorization", "Bearer hello"},
		"cut":               {"Authorization", "Bearer " + good[:len(good)-3]},
		"wrongly signed":    {"Authorization", "Bearer " + testkit.Google.Forged(s.ID, "bob")},
		"unknown key":       {"Authorization", "Bearer " + testkit.Google.IDToken(s.ID, "bob", func(h tokens.Header, _ tokens.Claims) { h["kid"] = "another" })},
		"another project's": {"Authorization", "Bearer " + testkit.Google.IDToken("demo-other", "bob", nil)},
		"expired": {"Authorization", "Bearer " + testkit.Google.IDToken(s.ID, "bob", func(_ tokens.Header, c tokens.Claims) {
			c["exp"] = time.Now().Add(-time.Hour).Unix()
		})},
		"a disabled user's": {"Authorization", "Bearer " + s.Token("disabled-"+s.ID)},
	} {
		t.Run(name, func(t *testing.T) {
			before := s.Meter.Counts().Requests
			got := s.Call(http.MethodGet, "", headers...)
			got.WantFailure(t, http.StatusUnauthorized, "unauthenticated")
			if !strings.HasPrefix(got.Header.Get("WWW-Authenticate"), "Bearer") || got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("headers: %v", got.Header)
			}
			if n := s.Meter.Counts().Requests - before; n != 0 {
				t.Errorf("%d calls to Firestore for it", n)
			}
		})
	}
	if got := s.Call(http.MethodGet, "", "Authorization", "bearer  "+good); got.StatusCode != http.StatusOK {
		t.Errorf("in another spelling: %d %s", got.StatusCode, got.Body)
	}
}

// However many requests and tokens an account has, it is looked up once, and only if a token of it is valid.
func TestAccountIsLookedUpOnce(t *testing.T) { // not in parallel: it counts lookups
	s := feedtest.New(t, schema.Config{NoOwnPosts: true})
	expires := func(ago time.Duration) func(tokens.Header, tokens.Claims) {
		return func(_ tokens.Header, c tokens.Claims) { c["exp"] = time.Now().Add(-ago).Unix() }
	}
	const requests = 200
	for name, c := range map[string]struct {
		account func(uid string)
		token   func(uid string, n int) string // nil: one valid token
		status  int
		lookups int
	}{
		"valid":    {status: http.StatusOK, lookups: 1},
		"disabled": {account: testkit.Google.Disable, status: http.StatusUnauthorized, lookups: 1},
		"deleted":  {account: testkit.Google.Delete, status: http.StatusUnauthorized, lookups: 1},
		"revoked":  {account: func(uid string) { testkit.Google.Revoke(uid, time.Now().Add(time.Minute)) }, status: http.StatusUnauthorized, lookups: 1},
		"another token each": {token: func(uid string, n int) string {
			return testkit.Google.IDToken(s.ID, uid, func(_ tokens.Header, c tokens.Claims) { c["n"] = n })
		}, status: http.StatusOK, lookups: 1},
		"expired within the allowance for clocks": {token: func(uid string, _ int) string {
			return testkit.Google.IDToken(s.ID, uid, expires(time.Minute))
		}, status: http.StatusOK, lookups: 1},
		"expired":   {token: func(uid string, _ int) string { return testkit.Google.IDToken(s.ID, uid, expires(time.Hour)) }, status: http.StatusUnauthorized},
		"forged":    {token: func(uid string, _ int) string { return testkit.Google.Forged(s.ID, uid) }, status: http.StatusUnauthorized},
		"malformed": {token: func(string, int) string { return "hello" }, status: http.StatusUnauthorized},
		"a group's": {token: func(uid string, _ int) string { return s.Token("g_" + uid) }, status: http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			uid := strings.ReplaceAll(name, " ", "-") + s.ID
			if c.account != nil {
				c.account(uid)
			}
			if c.token == nil {
				valid := s.Token(uid)
				c.token = func(string, int) string { return valid }
			}
			before := testkit.Google.Lookups()
			var group sync.WaitGroup
			for n := range requests {
				group.Go(func() {
					got := s.Call(http.MethodGet, "", "Authorization", "Bearer "+c.token(uid, n))
					if aboveRate := c.lookups > 0 && got.StatusCode == http.StatusTooManyRequests; got.StatusCode != c.status && !aboveRate {
						t.Errorf("got %d %s, want %d", got.StatusCode, got.Body, c.status)
					}
				})
			}
			group.Wait()
			if got := s.Call(http.MethodGet, "", "Authorization", "Bearer "+c.token(uid, requests)); got.StatusCode != c.status {
				t.Errorf("afterwards: %d %s, want %d", got.StatusCode, got.Body, c.status)
			}
			if n := testkit.Google.Lookups() - before; n != c.lookups {
				t.Errorf("%d lookups for %d requests, want %d", n, requests+1, c.lookups)
			}
		})
	}
}

func TestFeedUnavailableWhenTokenLookupFails(t *testing.T) { // not in parallel: all lookups fail
	s := feedtest.New(t, schema.Config{NoOwnPosts: true, FeedRate: 3})
	testkit.Google.SetDown(true)
	defer testkit.Google.SetDown(false)
	token, before := s.Token("bob"), testkit.Google.Lookups()
	var group sync.WaitGroup
	for range 20 { // above the rate, nothing is looked up
		group.Go(func() {
			if got := s.Call(http.MethodGet, "?source=relations&limit=1", "Authorization", "Bearer "+token); got.StatusCode == http.StatusServiceUnavailable {
				got.WantFailure(t, http.StatusServiceUnavailable, "unavailable")
			} else {
				got.WantFailure(t, http.StatusTooManyRequests, "resource-exhausted")
			}
		})
	}
	group.Wait()
	if n := testkit.Google.Lookups() - before; n < 1 || n > 3 {
		t.Errorf("%d lookups, want at most the rate", n)
	}
	if log := s.Log.String(); !strings.Contains(log, `"severity":"ERROR"`) || !strings.Contains(log, "token not verified") || strings.Contains(log, token) {
		t.Errorf("log: %s", log)
	}
	testkit.Google.SetDown(false)
	if got := s.Get("ada", ""); got.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %d %s", got.StatusCode, got.Body)
	}
}

func TestAppCheck(t *testing.T) {
	t.Parallel()
	const header = "X-Firebase-AppCheck"
	s := feedtest.New(t, schema.Config{NoOwnPosts: true, AppCheck: true})
	user := "Bearer " + s.Token("bob")
	app := testkit.Google.AppCheckToken(s.ID, nil)
	if got := s.Call(http.MethodGet, "", "Authorization", user, header, app); got.StatusCode != http.StatusOK {
		t.Errorf("with both tokens: %d %s", got.StatusCode, got.Body)
	}
	s.Call(http.MethodGet, "", header, app).WantFailure(t, http.StatusUnauthorized, "unauthenticated")
	for _, headers := range [][]string{
		nil,
		{header, ""},
		{header, app[:len(app)-3]},
		{header, testkit.Google.AppCheckToken("demo-other", nil)},
		{header, s.Token("bob")},
		{header, app, header, app},
	} {
		got := s.Call(http.MethodGet, "", append([]string{"Authorization", user}, headers...)...)
		got.WantFailure(t, http.StatusUnauthorized, "unauthenticated")
	}
	without := feedtest.New(t, schema.Config{NoOwnPosts: true})
	if got := without.Get("bob", ""); got.StatusCode != http.StatusOK {
		t.Errorf("where it is not asked for: %d", got.StatusCode)
	}
}

// One account cannot use all of Feed's capacity, and another keeps its own share.
func TestFeedBoundsTheRequestsOfAnAccount(t *testing.T) {
	t.Parallel()
	const most = 20
	s := feedtest.New(t, schema.Config{NoOwnPosts: true, FeedRate: most})
	answered, refused := 0, feedtest.Answer{}
	for refused.Response == nil && answered < 1000 {
		if got := s.Get("bob", ""); got.StatusCode == http.StatusOK {
			answered++
		} else {
			refused = got
		}
	}
	if refused.Response == nil {
		t.Fatalf("%d requests were answered, and then 200", answered)
	}
	refused.WantFailure(t, http.StatusTooManyRequests, "resource-exhausted")
	if wait, err := strconv.Atoi(refused.Header.Get("Retry-After")); err != nil || wait < 1 || wait > 60 {
		t.Errorf("Retry-After: %q", refused.Header.Get("Retry-After"))
	}
	if answered < most {
		t.Errorf("%d requests were answered, want %d", answered, most)
	}
	before := s.Meter.Counts().Requests
	s.Get("bob", "").WantFailure(t, http.StatusTooManyRequests, "resource-exhausted")
	if n := s.Meter.Counts().Requests - before; n != 0 {
		t.Errorf("%d calls to Firestore for a request too many", n)
	}
	if got := s.Get("ada", ""); got.StatusCode != http.StatusOK {
		t.Errorf("another account gets %d %s", got.StatusCode, got.Body)
	}
}

// A page of pull counts by its reads.
func TestFeedBoundsTheReadsOfAnAccount(t *testing.T) {
	t.Parallel()
	s := feedtest.New(t, schema.Config{NoOwnPosts: true, FeedRate: 2})
	s.Silence()
	for n := range 50 {
		s.PostTo(fmt.Sprint("p", n), "ada", "", feedtest.Noon, "bob")
	}
	if got := s.Get("bob", "?source=pull&limit=50"); got.StatusCode != http.StatusOK || len(got.Page.Posts) != 50 {
		t.Fatalf("got %d %s", got.StatusCode, got.Body)
	}
	// 50 posts by the query and by name, a block, and whom bob follows.
	s.Get("bob", "?limit=1").WantFailure(t, http.StatusTooManyRequests, "resource-exhausted")
}

// Of requests of one account that run at once, no more are answered than of those one after another: their reads count
// before they are made, and their bytes before they are sent.
func TestRequestsAtOnceAreBoundedAsThoseInARow(t *testing.T) {
	t.Parallel()
	const rate, atOnce = 10, 40
	for name, c := range map[string]struct {
		query        string
		posts, bytes int
		inARow       int
		reads        int64 // at once, at most
	}{
		"pulls of 103 reads":     {"?source=pull&limit=50", 50, 10, 5, 5 * 103},
		"pages of 400,000 bytes": {"?ref=about&limit=1", 1, 400_000, 3, rate * 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var gate atomic.Pointer[chan struct{}]
			var held, answered, refused atomic.Int64
			s := feedtest.New(t, schema.Config{NoOwnPosts: true, FeedRate: rate}, wire.Interceptor{
				Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
					if closed := gate.Load(); closed != nil {
						held.Add(1)
						<-*closed
					}
					return open(ctx, desc, cc, method, opts...)
				},
			})
			s.Silence()
			for n := range c.posts {
				s.Must(s.Client.Doc(fmt.Sprint("posts/p", n)).Set(t.Context(), map[string]any{
					"userId": "ada", "createdAt": feedtest.Noon, "audience": "", "to": []string{"bob", "cay"}, "hidden": false, "refs": []string{"about"},
					"text": strings.Repeat("x", c.bytes),
				}))
			}
			inARow := 0
			for s.Get("bob", c.query).StatusCode == http.StatusOK {
				inARow++
			}
			if inARow < c.inARow { // more if the machine is slow
				t.Errorf("%d in a row, want %d", inARow, c.inARow)
			}

			closed, before := make(chan struct{}), s.Meter.Counts().Reads
			gate.Store(&closed)
			var group sync.WaitGroup
			for range atOnce {
				group.Go(func() {
					switch got := s.Get("cay", c.query); got.StatusCode {
					case http.StatusOK:
						answered.Add(1)
					case http.StatusTooManyRequests:
						if refused.Add(1); got.Header.Get("Retry-After") == "0" {
							t.Error("retry at once")
						}
					default:
						t.Errorf("got %d %s", got.StatusCode, got.Body)
					}
				})
			}
			testkit.Until(t, "each request is refused, or reads", func() bool { return held.Load()+refused.Load() == atOnce })
			gate.Store(nil)
			close(closed)
			group.Wait()
			if n, reads := int(answered.Load()), s.Meter.Counts().Reads-before; n < 1 || n > inARow || reads > c.reads {
				t.Errorf("%d at once, with %d reads; want at most %d, with %d", n, reads, inARow, c.reads)
			}
		})
	}
}

// A request that its client has left counts as the most that it may have read.
func TestRequestThatClientLeavesCounts(t *testing.T) {
	t.Parallel()
	const pull = "?source=pull&limit=50" // at most 46
	reached, leave := make(chan struct{}), make(chan struct{})
	var gated atomic.Bool
	s := feedtest.New(t, schema.Config{NoOwnPosts: true, FeedRate: 60}, wire.Interceptor{
		Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			if gated.CompareAndSwap(true, false) {
				close(reached)
				<-ctx.Done()
				defer close(leave)
			}
			return open(ctx, desc, cc, method, opts...)
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	gated.Store(true)
	go func() { <-reached; cancel() }()
	s.Leave(ctx, "bob", pull)
	<-leave
	testkit.Until(t, "the request has ended", func() bool { return strings.Contains(s.Log.String(), `"outcome":"gone"`) })
	answered := 0
	for answered < 100 && s.Get("bob", "?source=relations&limit=1").StatusCode == http.StatusOK {
		answered++
	}
	if answered < 60-46 || answered > 60-46/2 { // more than the first if the machine is slow
		t.Errorf("%d requests are answered afterwards, want %d", answered, 60-46)
	}
}
