package identity_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/relationindex/internal/identity"
	"example.com/relationindex/testkit/tokens"
)

var google *tokens.Google

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "identity")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		google, err = tokens.Start(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

const project = "demo-identity"

// clock is a time that tests set.
type clock struct{ atomic.Pointer[time.Time] }

func newClock() *clock {
	c := &clock{}
	now := time.Now()
	c.Store(&now)
	return c
}

func (c *clock) now() time.Time { return *c.Load() }

func (c *clock) pass(d time.Duration) {
	later := c.now().Add(d)
	c.Store(&later)
}

func TestVerifiedTokenIsCachedForOneMinute(t *testing.T) {
	c := newClock()
	v := identity.New(project, c.now)
	token := google.IDToken(project, "polls", nil)
	want := func(lookups int) {
		t.Helper()
		before := google.Lookups()
		for range 3 {
			if uid, err := v.User(t.Context(), token); uid != "polls" || err != nil {
				t.Fatalf("got %q, %v", uid, err)
			}
		}
		if got := google.Lookups() - before; got != lookups {
			t.Errorf("%d lookups of three, want %d", got, lookups)
		}
	}
	want(1)
	c.pass(59 * time.Second)
	want(0)
	c.pass(time.Second)
	want(1)
	google.Disable("polls")
	want(0) // until the minute is over
	c.pass(time.Minute)
	if _, err := v.User(t.Context(), token); !errors.Is(err, identity.ErrRefused) {
		t.Errorf("a minute after the account was disabled: %v", err)
	}
}

func TestTokenCacheDropsExpiredToken(t *testing.T) {
	c := newClock()
	v := identity.New(project, c.now)
	token := google.IDToken(project, "soon", func(_ tokens.Header, claims tokens.Claims) {
		claims["exp"] = c.now().Add(10 * time.Second).Unix()
	})
	before := google.Lookups()
	for _, at := range []time.Duration{0, 5 * time.Second, 6 * time.Second} {
		c.pass(at)
		if _, err := v.User(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	if got := google.Lookups() - before; got != 2 {
		t.Errorf("%d lookups, want one at first and one after the token expired", got)
	}
}

func TestInvalidTokensAreRejected(t *testing.T) {
	v := identity.New(project, nil)
	google.Disable("disabled")
	google.Delete("deleted")
	google.Revoke("revoked", time.Now().Add(time.Minute))
	change := func(f func(tokens.Header, tokens.Claims)) string {
		return google.IDToken(project, "u", f)
	}
	good := google.IDToken(project, "u", nil)
	for name, token := range map[string]string{
		"empty":                   "",
		"no token":                "hello",
		"cut":                     good[:len(good)-4],
		"no signature":            good[:strings.LastIndexByte(good, '.')+1],
		"another key's":           google.Forged(project, "u"),
		"another project's":       google.IDToken("demo-other", "u", nil),
		"disabled":                google.IDToken(project, "disabled", nil),
		"deleted":                 google.IDToken(project, "deleted", nil),
		"revoked":                 google.IDToken(project, "revoked", nil),
		"an app's":                google.AppCheckToken(project, nil),
		"of nobody":               google.IDToken(project, "", nil),
		"of a very long name":     google.IDToken(project, strings.Repeat("u", 129), nil),
		"without a key's name":    change(func(h tokens.Header, _ tokens.Claims) { delete(h, "kid") }),
		"of an unknown key":       change(func(h tokens.Header, _ tokens.Claims) { h["kid"] = "another" }),
		"of no algorithm":         change(func(h tokens.Header, _ tokens.Claims) { h["alg"] = "none" }),
		"of a shared secret":      change(func(h tokens.Header, _ tokens.Claims) { h["alg"] = "HS256" }),
		"of another issuer":       change(func(_ tokens.Header, c tokens.Claims) { c["iss"] = "https://example.com" }),
		"expired six minutes ago": change(func(_ tokens.Header, c tokens.Claims) { c["exp"] = time.Now().Add(-6 * time.Minute).Unix() }),
		"of the future":           change(func(_ tokens.Header, c tokens.Claims) { c["iat"] = time.Now().Add(6 * time.Minute).Unix() }),
	} {
		if uid, err := v.User(t.Context(), token); !errors.Is(err, identity.ErrRefused) || uid != "" {
			t.Errorf("%s: got %q, %v; want it refused", name, uid, err)
		}
	}
}

// The library's allowance for clocks, which is documented, and tested so that
// its end would be seen.
func TestRecentlyExpiredTokenIsAcceptedAndNotCached(t *testing.T) {
	v := identity.New(project, nil)
	token := google.IDToken(project, "skewed", func(_ tokens.Header, c tokens.Claims) {
		c["exp"] = time.Now().Add(-4 * time.Minute).Unix()
	})
	before := google.Lookups()
	for range 2 {
		if _, err := v.User(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	if got := google.Lookups() - before; got != 2 {
		t.Errorf("%d lookups, want each time one", got)
	}
}

func TestMissingResponseIsNotRejection(t *testing.T) {
	v := identity.New(project, nil)
	token := google.IDToken(project, "waits", nil)
	google.SetDown(true)
	defer google.SetDown(false)
	_, err := v.User(t.Context(), token)
	if !errors.Is(err, identity.ErrUnavailable) || errors.Is(err, identity.ErrRefused) {
		t.Errorf("lookup failed: %v", err)
	}
	if strings.Contains(err.Error(), token) {
		t.Error("the error has the token in it")
	}
	google.SetDown(false)
	if uid, err := v.User(t.Context(), token); uid != "waits" || err != nil {
		t.Errorf("when lookups work again: %q, %v", uid, err)
	}
}

func TestAppCheck(t *testing.T) {
	v := identity.New(project, nil)
	good := google.AppCheckToken(project, nil)
	if err := v.App(t.Context(), good); err != nil {
		t.Error(err)
	}
	for name, token := range map[string]string{
		"empty":             "",
		"cut":               good[:len(good)-4],
		"a user's":          google.IDToken(project, "u", func(_ tokens.Header, c tokens.Claims) { c["aud"] = []string{project} }),
		"another project's": google.AppCheckToken("demo-other", nil),
		"expired": google.AppCheckToken(project, func(_ tokens.Header, c tokens.Claims) {
			c["exp"] = time.Now().Add(-time.Minute).Unix()
		}),
		"one audience, not a list": google.AppCheckToken(project, func(_ tokens.Header, c tokens.Claims) { c["aud"] = "projects/" + project }),
		"no issuer":                google.AppCheckToken(project, func(_ tokens.Header, c tokens.Claims) { delete(c, "iss") }),
		"another issuer's":         google.AppCheckToken(project, func(_ tokens.Header, c tokens.Claims) { c["iss"] = "https://example.com" }),
	} {
		if err := v.App(t.Context(), token); !errors.Is(err, identity.ErrRefused) {
			t.Errorf("%s: %v; want it refused", name, err)
		}
	}
}
