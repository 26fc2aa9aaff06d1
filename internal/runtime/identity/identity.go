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
	// ErrRefused is the error for a token that is not one of this project's, or
	// is not good any more: expired, revoked, of an account that is disabled or
	// deleted.
	ErrRefused = errors.New("token refused")

	// ErrUnavailable is the error when nobody could be asked. The request may be
	// made again.
	ErrUnavailable = errors.New("token not verified")
)

const (
	// memory is how long a token is taken for verified after it was.
	memory = time.Minute

	// remembered is how many tokens are, the latest ones: 1.5 MB of them.
	remembered = 10_000

	// patience is how long Google is asked, with the library's retries.
	patience = 10 * time.Second
)

// Verifier verifies tokens of one project. It is safe for concurrent use.
type Verifier struct {
	now      func() time.Time
	auth     lazy[auth.Client]
	appCheck lazy[appcheck.Client]
	known    *lru.Cache[[sha256.Size]byte, known]
}

// known is a token that was verified.
type known struct {
	uid   string
	until time.Time
}

// New makes a Verifier of a project's tokens. It costs no requests: the
// connections are made when they are needed. now is the clock of its memory;
// nil: time.Now.
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

// User is the id of the account that an ID token is of. Its errors are
// [ErrRefused] and [ErrUnavailable]; none of them has the token in it.
func (v *Verifier) User(ctx context.Context, token string) (uid string, err error) {
	key := sha256.Sum256([]byte(token)) // tokens are credentials: memory holds none
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
	case auth.IsIDTokenInvalid(err), auth.IsUserNotFound(err): // the first also for expired, revoked and disabled
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

// App verifies an App Check token. Its errors are User's. It looks nothing up
// but Google's keys, every six hours.
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

// verifyApp is the library's verification, which panics on tokens with a good
// signature whose claims have other types than it expects.
func verifyApp(client *appcheck.Client, token string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("claims of the token: %v", r)
		}
	}()
	_, err = client.VerifyToken(token)
	return err
}
