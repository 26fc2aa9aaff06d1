package functions

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/feed"
)

// appCheckHeader is the header of Firebase clients for their App Check token.
const appCheckHeader = "X-Firebase-AppCheck"

// badCursor is the message for an invalid cursor.
const badCursor = "must be the unchanged cursor from this user's previous page; start again without a cursor"

var errNoToken = errors.New("no token")

// bearer returns the token in the header Authorization.
func bearer(r *http.Request) (string, error) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return "", errNoToken
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if token = strings.TrimSpace(token); !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", errNoToken
	}
	return token, nil
}

// parseQuery parses the parameters of a request. It ignores unknown parameters, because
// caches and proxies add their own. Its error is for the client.
func parseQuery(raw string) (limit int, cursor string, err error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return 0, "", errors.New("query: must be percent-encoded URL parameters")
	}
	for _, name := range []string{"limit", "cursor"} {
		if len(query[name]) > 1 {
			return 0, "", fmt.Errorf("%s: must be given once", name)
		}
	}
	limit = defaultLimit
	if text, given := query["limit"]; given {
		n, err := strconv.ParseUint(text[0], 10, 8)
		if err != nil || n < 1 || n > feed.MaxLimit {
			return 0, "", fmt.Errorf("limit: must be a number, 1 to %d", feed.MaxLimit)
		}
		limit = int(n)
	}
	// An empty cursor has lost its value. The first page in its place would make the
	// client page for ever.
	if text, given := query["cursor"]; given && text[0] == "" {
		return 0, "", errors.New("cursor: " + badCursor)
	}
	return limit, query.Get("cursor"), nil
}

// transient reports whether the same request may succeed later.
func transient(err error) bool {
	switch status.Code(err) { // Code unwraps err
	case codes.Unavailable, codes.DeadlineExceeded, codes.ResourceExhausted, codes.Aborted, codes.Canceled:
		return true
	default:
		return status.FromContextError(err).Code() != codes.Unknown
	}
}
