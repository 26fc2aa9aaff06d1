package functions_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

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

func TestTokenLookupIsCached(t *testing.T) { // not in parallel: it counts lookups
	s := feedtest.New(t, schema.Config{NoOwnPosts: true})
	token := s.Token("bob")
	before := testkit.Google.Lookups()
	for range 5 {
		s.Call(http.MethodGet, "", "Authorization", "Bearer "+token)
	}
	if n := testkit.Google.Lookups() - before; n != 1 {
		t.Errorf("%d lookups for five requests, want 1", n)
	}
}

func TestFeedUnavailableWhenTokenLookupFails(t *testing.T) { // not in parallel: all lookups fail
	s := feedtest.New(t, schema.Config{NoOwnPosts: true})
	testkit.Google.SetDown(true)
	defer testkit.Google.SetDown(false)
	token := s.Token("bob")
	got := s.Call(http.MethodGet, "", "Authorization", "Bearer "+token)
	got.WantFailure(t, http.StatusServiceUnavailable, "unavailable")
	if log := s.Log.String(); !strings.Contains(log, `"severity":"ERROR"`) || !strings.Contains(log, "token not verified") || strings.Contains(log, token) {
		t.Errorf("log: %s", log)
	}
	testkit.Google.SetDown(false)
	if got := s.Call(http.MethodGet, "", "Authorization", "Bearer "+token); got.StatusCode != http.StatusOK {
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
