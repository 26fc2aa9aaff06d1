package functions

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"github.com/rs/cors"

	"example.com/relationindex/feed"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/identity"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/rates"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// Feed returns pages of a feed or of a slice, or reports whether there is news. Clients call it if querying relations
// directly costs too much. See docs/feed.md, and feed.openapi.yaml for every header and answer.
//
// Feed only reads, so a client may repeat a request at any time. Its service account
// cannot write: see [triggers.AccountFeed].
func (h *Handlers) Feed(w http.ResponseWriter, r *http.Request) { h.feed(w, r) }

const feedReserve = 5 * time.Second // for the answer

// defaultLimit is the number of posts on a page if the client sends no limit.
const defaultLimit = 20

// feedMethods lists the methods that Feed accepts, in the form of the header Allow.
const feedMethods = "GET, HEAD, OPTIONS"

// feedServer serves Feed on one database.
type feedServer struct {
	feed     *feed.Feed
	verifier *identity.Verifier
	appCheck bool
	rates    *rates.Rates
	runs     *reporter
}

// newFeed returns the handler of Feed. It sends no requests.
func newFeed(f *feed.Feed, verifier *identity.Verifier, cfg schema.Config, runs *reporter) (http.HandlerFunc, error) {
	compressed, err := gzhttp.NewWrapper(gzhttp.EnableZstd(false), gzhttp.ContentTypes([]string{jsonType}))
	if err != nil {
		return nil, err
	}
	limit, err := rates.New(cfg.WithDefaults().FeedRate, time.Minute, time.Now)
	if err != nil {
		return nil, err
	}
	var h http.Handler = compressed(&feedServer{feed: f, verifier: verifier, appCheck: cfg.AppCheck, rates: limit, runs: runs})
	if len(cfg.Origins) > 0 { // the library allows all origins if there are none
		h = cors.New(cors.Options{
			AllowedOrigins: cfg.Origins,
			AllowedMethods: []string{http.MethodGet, http.MethodHead},
			AllowedHeaders: []string{"Authorization", "If-None-Match", appCheckHeader},
			ExposedHeaders: []string{"ETag", "Retry-After"},
			MaxAge:         int((2 * time.Hour).Seconds()), // Chromium's maximum
		}).Handler(h)
	}
	return h.ServeHTTP, nil
}

func (s *feedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(wire.WithReason(r.Context(), triggers.Feed), triggers.FeedTimeout-feedReserve)
	defer cancel()
	ctx, run := s.runs.begin(ctx, triggers.Feed)
	page, status, err := feed.Page{}, http.StatusInternalServerError, errPanicked
	defer func() {
		ended := feedOutcome(status, r.Context().Err() != nil)
		if ended != failed {
			err = nil // the reason would name the account
		}
		run.end(ctx, ended, err, slog.Int(logging.Status, status), slog.Int(logging.Posts, len(page.Posts)), slog.Int(logging.Rounds, page.Rounds), slog.String(logging.Source, page.Source))
	}()
	page, status, err = s.serve(w, r.WithContext(ctx))
	for _, err := range page.Damaged {
		s.runs.logger.WarnContext(ctx, "post left out of feeds", logging.Function, triggers.Feed, logging.Error, err)
	}
}

// feedOutcome returns the outcome of a request that was answered with status.
func feedOutcome(status int, clientGone bool) outcome {
	switch {
	case status < http.StatusBadRequest:
		return done
	case status < http.StatusInternalServerError:
		return refused
	case clientGone:
		return gone
	default:
		return failed
	}
}

// serve answers a request, and returns the page, status and error for the log.
func (s *feedServer) serve(w http.ResponseWriter, r *http.Request) (feed.Page, int, error) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions: // a preflight without configured origins, or a plain OPTIONS
		w.Header().Set("Allow", feedMethods)
		w.WriteHeader(http.StatusNoContent)
		return feed.Page{}, http.StatusNoContent, nil
	default:
		w.Header().Set("Allow", feedMethods)
		return feed.Page{}, fail(w, http.StatusMethodNotAllowed, "method-not-allowed", "use GET to read a feed"), nil
	}
	q, bad := parseQuery(r.URL.RawQuery)
	uid, end, status, err := s.user(w, r, mostOf(q))
	if status != 0 {
		return feed.Page{}, status, err
	}
	if bad != nil {
		end(0)
		return feed.Page{}, fail(w, http.StatusBadRequest, "invalid-argument", bad.Error()), bad
	}
	page, body, err := s.body(r.Context(), uid, q, end)
	switch {
	case err == nil:
		return page, answerBody(w, r, body), nil
	case errors.Is(err, errRate):
		return page, exhausted(w, time.Second), nil
	case errors.Is(err, feed.ErrCursor):
		return page, fail(w, http.StatusBadRequest, "invalid-argument", "cursor: "+badCursor), err
	case errors.Is(err, feed.ErrSource):
		return page, fail(w, http.StatusBadRequest, "invalid-argument", "source: "+err.Error()), err
	case transient(err):
		return page, unavailable(w), err
	default:
		return page, fail(w, http.StatusInternalServerError, "internal", "the log has the reason"), err
	}
}

// body reads the requested answer as JSON, and ends the request with what it has cost. If nobody has waited for all
// reads, their number is unknown: then the request has cost the most.
func (s *feedServer) body(ctx context.Context, uid string, q feedQuery, end func(int) bool) (page feed.Page, body []byte, err error) {
	cost := mostOf(q)
	defer func() { // also of a panic
		if !end(cost) {
			err = errRate
		}
	}()
	page, answer, err := s.read(ctx, uid, q)
	if err == nil {
		body, err = jsonOf(answer)
	}
	if ctx.Err() == nil {
		cost = requestsOf(wire.MeterOf(ctx).Counts().Reads, len(body))
	}
	return page, body, err
}

// read reads the requested answer. For the log, it also returns a page that names the sources of the answer.
func (s *feedServer) read(ctx context.Context, uid string, q feedQuery) (page feed.Page, answer any, err error) {
	if q.news != nil {
		news, err := s.feed.News(ctx, uid, q.ref, q.source, *q.news)
		return news.Read, news, err
	}
	page, err = s.page(ctx, uid, q)
	return page, page, err
}

// page reads the requested page.
func (s *feedServer) page(ctx context.Context, uid string, q feedQuery) (feed.Page, error) {
	if q.ref != "" {
		return s.feed.Slice(ctx, uid, q.ref, q.limit, q.cursor)
	}
	switch q.source {
	case feed.SourcePull:
		return s.feed.Pull(ctx, uid, q.limit, q.cursor)
	case feed.SourceTimeline:
		return s.feed.Timeline(ctx, uid, q.limit, q.cursor)
	}
	return s.feed.Page(ctx, uid, q.limit, q.cursor)
}

// user returns the account of a request, and begins the request, which counts as up to most: see [rates.Rates.Begin]. A
// status other than 0 means that user has rejected the request with that status.
func (s *feedServer) user(w http.ResponseWriter, r *http.Request, most int) (uid string, end func(int) bool, status int, err error) {
	if s.appCheck {
		err := errNoToken
		if tokens := r.Header.Values(appCheckHeader); len(tokens) == 1 {
			err = s.verifier.App(r.Context(), tokens[0])
		}
		if err != nil {
			return "", nil, refuse(w, err, `Bearer`, "the header "+appCheckHeader+" requires a valid App Check token"), err
		}
	}
	token, err := bearer(r)
	if err != nil {
		return "", nil, refuse(w, err, `Bearer`, "the header Authorization requires a Firebase ID token: Bearer TOKEN"), err
	}
	var wait time.Duration
	uid, err = s.verifier.User(r.Context(), token, func(uid string) error {
		if schema.IsGroup(uid) { // as in the rules: such an account could pass for the group
			return errGroup
		}
		if end, wait = s.rates.Begin(uid, most); wait > 0 {
			return errRate
		}
		return nil
	})
	if err == nil {
		return uid, end, 0, nil
	}
	if end != nil {
		end(0)
	}
	switch {
	case errors.Is(err, errRate):
		return "", nil, exhausted(w, wait), nil
	case errors.Is(err, errGroup):
		return "", nil, refuse(w, err, `Bearer error="invalid_token"`, "nobody signs in with an id that begins as a group's does"), err
	default:
		return "", nil, refuse(w, err, `Bearer error="invalid_token"`, "the ID token is expired, revoked or from another project; sign in again"), err
	}
}

const (
	// readsOfRequest is the number of reads that count as one request: those of the longest page of relations.
	readsOfRequest = 2 * feed.MaxLimit
	// bytesOfRequest is the number of bytes of a page, as JSON, that count as one request: the longest page, with posts
	// of some 2,600 bytes each.
	bytesOfRequest = 128 << 10

	queriesOfPull = 70   // at most; each may find as many posts as the page has
	readsOfPost   = 14   // at most, without pull: an entry and its post, then four times two entries and a post
	readsOfPassed = 3000 // at most, about a ref: 1,000 posts that are left out, and for each its audience and a follow
)

// requestsOf returns the number of requests that a page counts as. So an account cannot cost the owner more by pages
// with many reads, as of pull, or with large posts.
func requestsOf(reads int64, bytes int) int {
	return max(1, int((reads+readsOfRequest-1)/readsOfRequest), (bytes+bytesOfRequest-1)/bytesOfRequest)
}

// mostOf returns as how many requests a request counts while it runs. A page reads most if its posts are left out in each
// of its rounds. Of a pull, which any page of the feed may become, its first round counts. A request has also cost as
// much if its client leaves.
func mostOf(q feedQuery) int {
	posts, reads := q.limit, readsOfPost*q.limit
	if q.news != nil {
		posts, reads = 1, 1
	} else if q.ref != "" {
		reads += readsOfPassed
	}
	if q.ref == "" && (q.source == "" || q.source == feed.SourcePull) {
		reads = feed.MaxFollowed + (queriesOfPull+1)*posts
	}
	return requestsOf(int64(reads), 0)
}
