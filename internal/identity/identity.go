package identity

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"firebase.google.com/go/v4/appcheck"
	"firebase.google.com/go/v4/auth"
	lru "github.com/hashicorp/golang-lru/v2"
	"google.golang.org/api/option"

	"example.com/relationindex/internal/batch"
)

var (
	// ErrRefused is the error for a token of another project, or a token that is no longer valid: the token
	// has expired or was revoked, or its account is disabled or deleted.
	ErrRefused = errors.New("token rejected")

	// ErrUnavailable is the error when the token could not be verified. You may
	// retry the request.
	ErrUnavailable = errors.New("token not verified")
)

const (
	// memory is how long a lookup of an account is remembered.
	memory = time.Minute

	// remembered is the most accounts in memory, the latest ones: 3 MB with the longest ids.
	remembered = 10_000

	// patience limits one verification, and one lookup with the library's retries.
	patience = 10 * time.Second
)

// Verifier verifies tokens of one project. It is safe for concurrent use.
type Verifier struct {
	now      func() time.Time
	auth     lazy[auth.Client]
	appCheck lazy[appcheck.Client]
	known    *lru.Cache[string, account] // by uid
	lookups  batch.Flight[account]       // by uid
}

// account is what a lookup has found about an account.
type account struct {
	validSince int64     // Unix time in milliseconds: tokens issued earlier are rejected; all, of a disabled or deleted account
	until      time.Time // end of memory
}

// rejects compares as the library does.
func (a account) rejects(t *auth.Token) bool { return t.IssuedAt*1000 < a.validSince }

// New returns a Verifier for a project's tokens. It sends no requests: connections open
// when they are needed. now is the clock of the Verifier's memory; nil is time.Now.
func New(project string, now func() time.Time) *Verifier {
	if now == nil {
		now = time.Now
	}
	accounts, err := lru.New[string, account](remembered)
	if err != nil {
		panic(err) // only for a size below one
	}
	return &Verifier{
		now:   now,
		known: accounts,
		auth: lazy[auth.Client]{open: func(ctx context.Context) (*auth.Client, error) {
			return open(ctx, auth.NewClient, map[string]any{"ProjectID": project, "Opts": []option.ClientOption{scopes}})
		}},
		appCheck: lazy[appcheck.Client]{open: func(ctx context.Context) (*appcheck.Client, error) {
			return open(ctx, appcheck.NewClient, map[string]any{"ProjectID": project})
		}},
	}
}

// User returns the account id of an ID token. It does, in this order:
//
//   - check the signature and the claims. No other step begins without a valid token, which only its account has;
//   - reject what memory rejects. So the holder of a revoked token cannot use up the rate of the account;
//   - call take, which counts the request of the account, and may reject it: User returns its error;
//   - look up the account, unless memory has it. Concurrent requests share the lookup.
//
// Its other errors are [ErrRefused] and [ErrUnavailable]; neither contains the token.
func (v *Verifier) User(ctx context.Context, token string, take func(uid string) error) (uid string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	client, err := v.auth.get(ctx)
	if err != nil {
		return "", fmt.Errorf("%w: open Firebase Auth: %w", ErrUnavailable, err)
	}
	t, err := client.VerifyIDToken(ctx, token)
	switch {
	case err == nil:
	case auth.IsIDTokenInvalid(err), auth.IsUserNotFound(err): // the latter only with the Auth emulator, where the library looks up each token
		return "", fmt.Errorf("%w: %w", ErrRefused, err)
	default:
		return "", fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	a, known := v.recall(t.UID)
	if known && a.rejects(t) {
		return "", ErrRefused
	}
	if err := take(t.UID); err != nil {
		return "", err
	}
	if !known {
		if a, err = v.lookUp(ctx, client, t.UID); err != nil {
			return "", fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
	if a.rejects(t) {
		return "", ErrRefused
	}
	return t.UID, nil
}

// recall returns an account from memory, if it was looked up within a minute.
func (v *Verifier) recall(uid string) (a account, known bool) {
	a, known = v.known.Get(uid)
	return a, known && v.now().Before(a.until)
}

// lookUp looks up an account, also if it finds that the account may not be used. A failed lookup is not remembered.
func (v *Verifier) lookUp(ctx context.Context, client *auth.Client, uid string) (account, error) {
	return v.lookups.Do(ctx, uid, func(ctx context.Context) (account, error) {
		if a, known := v.recall(uid); known { // by a lookup that has just ended
			return a, nil
		}
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		a := account{until: v.now().Add(memory)} // from before the lookup
		user, err := client.GetUser(ctx, uid)
		switch {
		case err == nil && !user.Disabled:
			a.validSince = user.TokensValidAfterMillis
		case err == nil, auth.IsUserNotFound(err):
			a.validSince = math.MaxInt64
		default:
			return account{}, err
		}
		v.known.Add(uid, a)
		return a, nil
	})
}

// App verifies an App Check token. It returns the errors of [Verifier.User]. Its only
// requests are for Google's keys, every six hours.
func (v *Verifier) App(ctx context.Context, token string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	client, err := v.appCheck.get(ctx)
	if err != nil {
		return fmt.Errorf("%w: open Firebase App Check: %w", ErrUnavailable, err)
	}
	if err := verifyApp(client, token); err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return nil
}

// verifyApp calls the library's VerifyToken and returns its panics as errors. The library
// panics on a token with a good signature if a claim has an unexpected type.
func verifyApp(client *appcheck.Client, token string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("claims of the token: %v", r)
		}
	}()
	_, err = client.VerifyToken(token)
	return err
}
