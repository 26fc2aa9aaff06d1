package gcs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"

	"example.com/relationindex/internal/console"
)

var (
	// ErrChanged means that the generation of an object has gone during the read.
	ErrChanged = errors.New("the object was overwritten or deleted during the read: import the object again when no program writes it")

	// ErrDamaged means that the received bytes differ from the stored object.
	ErrDamaged = errors.New("the received bytes differ from the stored object: import the object again")
)

// maxBriefBytes is the most bytes of a server's answer that an error shows.
const maxBriefBytes = 300

// brief is an error with a short text on one line.
type brief struct{ error }

func (b brief) Error() string {
	text := console.Printable(b.error.Error())
	if len(text) > maxBriefBytes {
		text = strings.ToValidUTF8(text[:maxBriefBytes], "") + "…"
	}
	return text
}

func (b brief) Unwrap() error { return b.error }

// code returns the HTTP status of an error, or 0 if it has none.
func code(err error) int {
	if api, ok := errors.AsType[*googleapi.Error](err); ok {
		return api.Code
	}
	if errors.Is(err, storage.ErrObjectNotExist) || errors.Is(err, storage.ErrBucketNotExist) {
		return http.StatusNotFound
	}
	return 0
}

// refused reports whether a retry cannot change the server's answer.
func refused(err error) bool {
	switch c := code(err); c {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	default:
		return c >= 400 && c < 500
	}
}

// explained adds to err its meaning for an object, or for the objects of a prefix, and the
// solution.
func explained(ctx context.Context, o Object, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	switch code(err) {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%s: access denied: the application default credentials need roles/storage.objectViewer on the bucket %s: %w", o, o.Bucket, brief{err})
	case http.StatusNotFound, http.StatusPreconditionFailed:
		if o.Generation != 0 {
			return fmt.Errorf("%s: %w: %w", o, ErrChanged, brief{err})
		}
		return fmt.Errorf("%s: there is no such object or bucket; see 'gcloud storage ls': %w", o, brief{err})
	default:
		return fmt.Errorf("%s: %w", o, brief{err})
	}
}
