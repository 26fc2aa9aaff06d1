package identity

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"firebase.google.com/go/v4/appcheck"
	"firebase.google.com/go/v4/auth"
	lru "github.com/hashicorp/golang-lru/v2"
	"google.golang.org/api/option"
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
	// memory is how long a verified token is remembered.
	memory = time.Minute

	// remembered is the most tokens in memory, the latest ones: 1.5 MB.
	remembered = 10_000

	// patience limits one verification, with the library's retries.
	patience = 10 * time.Second
)

// Verifier verifies tokens of one project. It is safe for concurrent use.
type Verifier struct {
	now      func() time.Time
	auth     lazy[auth.Client]
	appCheck lazy[appcheck.Client]
	known    *lru.Cache[[sha256.Size]byte, known]
}

// known is a verified token.
type known struct {
	uid   string
	until time.Time
}

// New returns a Verifier for a project's tokens. It sends no requests: connections open
// when they are needed. now is the clock of the Verifier's memory; nil is time.Now.
func New(project string, now func() time.Time) *Verifier {
	if now == nil {
		now = time.Now
	}
	tokens, err := lru.New[[sha256.Size]byte, known](remembered)
	if err != nil {
		panic(err) // only for a size below one
	}
	return &Verifier{
		now:   now,
		known: tokens,
		auth: lazy[auth.Client]{open: func(ctx context.Context) (*auth.Client, error) {
			return open(ctx, auth.NewClient, map[string]any{"ProjectID": project, "Opts": []option.ClientOption{scopes}})
		}},
		appCheck: lazy[appcheck.Client]{open: func(ctx context.Context) (*appcheck.Client, error) {
			return open(ctx, appcheck.NewClient, map[string]any{"ProjectID": project})
		}},
	}
}

// User returns the account id of an ID token. Its errors are [ErrRefused] and
// [ErrUnavailable]; neither contains the token.
func (v *Verifier) User(ctx context.Context, token string) (uid string, err error) {
	key := sha256.Sum256([]byte(token)) // tokens are credentials: remember only their hashes
	if k, ok := v.known.Get(key); ok && v.now().Before(k.until) {
		return k.uid, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	client, err := v.auth.get(ctx)
	if err != nil {
		return "", fmt.Errorf("%w: open Firebase Auth: %w", ErrUnavailable, err)
	}
	verified := v.now()
	t, err := client.VerifyIDTokenAndCheckRevoked(ctx, token)
	switch {
	case err == nil:
	case auth.IsIDTokenInvalid(err), auth.IsUserNotFound(err): // the first includes expired, revoked and disabled
		return "", fmt.Errorf("%w: %w", ErrRefused, err)
	default:
		return "", fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	until := verified.Add(memory)
	if expires := time.Unix(t.Expires, 0); expires.Before(until) {
		until = expires
	}
	v.known.Add(key, known{t.UID, until})
	return t.UID, nil
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
