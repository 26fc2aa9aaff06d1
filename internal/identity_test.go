package internal_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/relationindex/internal/identity"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/tokens"
)

const identityProject = "demo-identity"

// clock is a time that tests set.
type clock struct{ atomic.Pointer[time.Time] }

func newClock() *clock {
	c := &clock{}
	now := time.Now()
	c.Store(&now)
	return c
}

func (c *clock) now() time.Time { return *c.Load() }

// counted takes all requests, and counts them.
func counted(requests *int) func(string) error {
	return func(string) error { *requests++; return nil }
}

// every takes every request.
func every(string) error { return nil }

// What a lookup finds is true for a minute, of an account that may be used and of one that may not. Requests that memory
// rejects do not count for the account.
func TestLookupIsRememberedForOneMinute(t *testing.T) {
	type step struct {
		at      time.Duration // since the first step
		change  func(uid string)
		issued  time.Duration // when the request's token was issued, since the first step
		refused bool
		lookups int
		counted int
	}
	revoke := func(uid string) { testkit.Google.Revoke(uid, time.Now().Add(30*time.Second)) }
	const first, minute = -time.Minute, time.Minute
	for name, steps := range map[string][]step{
		"valid, then disabled, then enabled": {
			{0, nil, first, false, 1, 3},
			{59 * time.Second, nil, first, false, 0, 3},
			{59 * time.Second, testkit.Google.Disable, first, false, 0, 3},
			{minute, nil, first, true, 1, 1}, // counted before the lookup
			{minute, nil, first, true, 0, 0},
			{100 * time.Second, testkit.Google.Enable, first, true, 0, 0},
			{2*minute - 1, nil, first, true, 0, 0},
			{2 * minute, nil, first, false, 1, 3},
		},
		"deleted, then created again": {
			{0, testkit.Google.Delete, first, true, 1, 1},
			{time.Second, testkit.Google.Enable, first, true, 0, 0},
			{minute, nil, first, false, 1, 3},
		},
		"revoked, then signed in again": {
			{0, revoke, first, true, 1, 1},
			{time.Second, nil, minute, false, 0, 3}, // another token of the account
			{2 * time.Second, nil, first, true, 0, 0},
		},
		"revoked while remembered": {
			{0, nil, first, false, 1, 3},
			{time.Second, revoke, first, false, 0, 3},
			{minute, nil, first, true, 1, 1},
			{minute, nil, minute, false, 0, 3},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, begin, uid := newClock(), time.Now(), strings.ReplaceAll(name, " ", "-")
			v := identity.New(identityProject, c.now)
			for n, s := range steps {
				at := begin.Add(s.at)
				if c.Store(&at); s.change != nil {
					s.change(uid)
				}
				token := testkit.Google.IDToken(identityProject, uid, func(_ tokens.Header, claims tokens.Claims) {
					claims["iat"] = begin.Add(s.issued).Unix()
				})
				before, requests := testkit.Google.Lookups(), 0
				for range 3 {
					if got, err := v.User(t.Context(), token, counted(&requests)); errors.Is(err, identity.ErrRefused) != s.refused || (got == uid) == s.refused {
						t.Fatalf("step %d: got %q, %v; want it refused: %t", n, got, err, s.refused)
					}
				}
				if got := testkit.Google.Lookups() - before; got != s.lookups || requests != s.counted {
					t.Errorf("step %d: %d lookups and %d counted of three requests, want %d and %d", n, got, requests, s.lookups, s.counted)
				}
			}
		})
	}
}

// A request that is not taken is not looked up.
func TestRequestAboveRateIsNotLookedUp(t *testing.T) {
	v := identity.New(identityProject, nil)
	token, before, above := testkit.Google.IDToken(identityProject, "above", nil), testkit.Google.Lookups(), errors.New("above")
	if uid, err := v.User(t.Context(), token, func(uid string) error { return fmt.Errorf("%s: %w", uid, above) }); uid != "" || !errors.Is(err, above) || errors.Is(err, identity.ErrUnavailable) {
		t.Errorf("got %q, %v", uid, err)
	}
	if got := testkit.Google.Lookups() - before; got != 0 {
		t.Errorf("%d lookups", got)
	}
}

func TestInvalidTokensAreRejected(t *testing.T) {
	v := identity.New(identityProject, nil)
	testkit.Google.Disable("disabled")
	testkit.Google.Delete("deleted")
	testkit.Google.Revoke("revoked", time.Now().Add(time.Minute))
	change := func(f func(tokens.Header, tokens.Claims)) string {
		return testkit.Google.IDToken(identityProject, "u", f)
	}
	good := testkit.Google.IDToken(identityProject, "u", nil)
	for name, token := range map[string]string{
		"empty":                     "",
		"no token":                  "hello",
		"cut":                       good[:len(good)-4],
		"no signature":              good[:strings.LastIndexByte(good, '.')+1],
		"another key's":             testkit.Google.Forged(identityProject, "u"),
		"another identityProject's": testkit.Google.IDToken("demo-other", "u", nil),
		"disabled":                  testkit.Google.IDToken(identityProject, "disabled", nil),
		"deleted":                   testkit.Google.IDToken(identityProject, "deleted", nil),
		"revoked":                   testkit.Google.IDToken(identityProject, "revoked", nil),
		"an app's":                  testkit.Google.AppCheckToken(identityProject, nil),
		"of nobody":                 testkit.Google.IDToken(identityProject, "", nil),
		"of a very long name":       testkit.Google.IDToken(identityProject, strings.Repeat("u", 129), nil),
		"without a key's name":      change(func(h tokens.Header, _ tokens.Claims) { delete(h, "kid") }),
		"of an unknown key":         change(func(h tokens.Header, _ tokens.Claims) { h["kid"] = "another" }),
		"of no algorithm":           change(func(h tokens.Header, _ tokens.Claims) { h["alg"] = "none" }),
		"of a shared secret":        change(func(h tokens.Header, _ tokens.Claims) { h["alg"] = "HS256" }),
		"of another issuer":         change(func(_ tokens.Header, c tokens.Claims) { c["iss"] = "https://example.com" }),
		"expired six minutes ago":   change(func(_ tokens.Header, c tokens.Claims) { c["exp"] = time.Now().Add(-6 * time.Minute).Unix() }),
		"of the future":             change(func(_ tokens.Header, c tokens.Claims) { c["iat"] = time.Now().Add(6 * time.Minute).Unix() }),
	} {
		if uid, err := v.User(t.Context(), token, every); !errors.Is(err, identity.ErrRefused) || uid != "" {
			t.Errorf("%s: got %q, %v; want it refused", name, uid, err)
		}
	}
}

// The library's allowance for clocks, which is documented, and tested so that
// its end would be seen.
func TestRecentlyExpiredTokenIsAccepted(t *testing.T) {
	v := identity.New(identityProject, nil)
	token := testkit.Google.IDToken(identityProject, "skewed", func(_ tokens.Header, c tokens.Claims) {
		c["exp"] = time.Now().Add(-4 * time.Minute).Unix()
	})
	if _, err := v.User(t.Context(), token, every); err != nil {
		t.Fatal(err)
	}
}

func TestMissingResponseIsNotRejection(t *testing.T) {
	v := identity.New(identityProject, nil)
	token := testkit.Google.IDToken(identityProject, "waits", nil)
	testkit.Google.SetDown(true)
	defer testkit.Google.SetDown(false)
	_, err := v.User(t.Context(), token, every)
	if !errors.Is(err, identity.ErrUnavailable) || errors.Is(err, identity.ErrRefused) {
		t.Errorf("lookup failed: %v", err)
	}
	if strings.Contains(err.Error(), token) {
		t.Error("the error has the token in it")
	}
	testkit.Google.SetDown(false)
	if uid, err := v.User(t.Context(), token, every); uid != "waits" || err != nil {
		t.Errorf("when lookups work again: %q, %v", uid, err)
	}
}

func TestAppCheck(t *testing.T) {
	v := identity.New(identityProject, nil)
	good := testkit.Google.AppCheckToken(identityProject, nil)
	if err := v.App(t.Context(), good); err != nil {
		t.Error(err)
	}
	for name, token := range map[string]string{
		"empty":                     "",
		"cut":                       good[:len(good)-4],
		"a user's":                  testkit.Google.IDToken(identityProject, "u", func(_ tokens.Header, c tokens.Claims) { c["aud"] = []string{identityProject} }),
		"another identityProject's": testkit.Google.AppCheckToken("demo-other", nil),
		"expired": testkit.Google.AppCheckToken(identityProject, func(_ tokens.Header, c tokens.Claims) {
			c["exp"] = time.Now().Add(-time.Minute).Unix()
		}),
		"one audience, not a list": testkit.Google.AppCheckToken(identityProject, func(_ tokens.Header, c tokens.Claims) { c["aud"] = "projects/" + identityProject }),
		"no issuer":                testkit.Google.AppCheckToken(identityProject, func(_ tokens.Header, c tokens.Claims) { delete(c, "iss") }),
		"another issuer's":         testkit.Google.AppCheckToken(identityProject, func(_ tokens.Header, c tokens.Claims) { c["iss"] = "https://example.com" }),
	} {
		if err := v.App(t.Context(), token); !errors.Is(err, identity.ErrRefused) {
			t.Errorf("%s: %v; want it refused", name, err)
		}
	}
}
