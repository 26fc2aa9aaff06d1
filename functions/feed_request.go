package functions

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/feed"
)

// appCheckHeader is the header of Firebase clients for their App Check token.
const appCheckHeader = "X-Firebase-AppCheck"

// badCursor is the message for an invalid cursor.
const badCursor = "must be the unchanged cursor from this user's previous page of the same ref, and of the same source if that is pull or timeline; start again without a cursor"

var (
	errNoToken = errors.New("no token")
	errGroup   = errors.New("a token with the id of a group")
	errRate    = errors.New("too many requests of the account")
)

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

// feedQuery holds the parameters of a request.
type feedQuery struct {
	ref    string // "": the caller's feed
	source string // feed.SourceRelations, feed.SourcePull or feed.SourceTimeline; "": as the cursor says
	limit  int
	cursor string // "": the first page
	// news is set if the client requests only whether there are newer posts: the createdAt of the newest post that the
	// client shows. nil: the client requests a page.
	news *time.Time
}

// parseQuery parses the parameters of a request. It ignores unknown parameters, because
// caches and proxies add their own. Its error is for the client.
func parseQuery(raw string) (feedQuery, error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return feedQuery{}, errors.New("query: must be percent-encoded URL parameters")
	}
	for _, name := range []string{"ref", "source", "limit", "cursor", "news"} {
		if len(query[name]) > 1 {
			return feedQuery{}, fmt.Errorf("%s: must be given once", name)
		}
	}
	q := feedQuery{ref: query.Get("ref"), limit: defaultLimit, cursor: query.Get("cursor")}
	// A request with an empty ref has lost the value. The caller's feed would be the wrong answer.
	if query.Has("ref") && feed.CheckRef(q.ref) != nil {
		return feedQuery{}, fmt.Errorf("ref: must be 1 to %d characters", feed.MaxRef)
	}
	if query.Has("source") {
		switch q.source = query.Get("source"); {
		case q.source != feed.SourceRelations && q.source != feed.SourcePull && q.source != feed.SourceTimeline:
			return feedQuery{}, fmt.Errorf("source: must be %s, %s or %s", feed.SourceRelations, feed.SourcePull, feed.SourceTimeline)
		case query.Has("ref"):
			return feedQuery{}, errors.New("source: must not be combined with ref")
		}
	}
	if text, given := query["limit"]; given {
		n, err := strconv.ParseUint(text[0], 10, 8)
		if err != nil || n < 1 || n > feed.MaxLimit {
			return feedQuery{}, fmt.Errorf("limit: must be a number, 1 to %d", feed.MaxLimit)
		}
		q.limit = int(n)
	}
	// A request with an empty cursor has lost the value. With the first page as the answer, the client would page
	// forever.
	if query.Has("cursor") && q.cursor == "" {
		return feedQuery{}, errors.New("cursor: " + badCursor)
	}
	if query.Has("news") {
		at, err := shownTime(query.Get("news"))
		if err != nil {
			return feedQuery{}, err
		}
		if q.news = &at; q.cursor != "" {
			return feedQuery{}, errors.New("cursor: must not be combined with news, which is for the first page only")
		}
	}
	return q, nil
}

// shownTime returns the createdAt of a post of a page. It rejects a form that Feed would not write: a client that rounds
// the time would get news of posts that it already shows.
func shownTime(text string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || at.Before(time.Time{}) || !at.Equal(at.Truncate(time.Microsecond)) || at.UTC().Format(time.RFC3339Nano) != text {
		return time.Time{}, errors.New("news: must be the unchanged createdAt of the newest post on the page, such as 2026-11-20T18:00:00.123456Z")
	}
	return at, nil
}

// transient reports whether the same request may succeed later.
func transient(err error) bool {
	if errors.Is(err, feed.ErrNoKeys) {
		return true
	}
	switch status.Code(err) { // Code unwraps err
	case codes.Unavailable, codes.DeadlineExceeded, codes.ResourceExhausted, codes.Aborted, codes.Canceled:
		return true
	default:
		return status.FromContextError(err).Code() != codes.Unknown
	}
}
