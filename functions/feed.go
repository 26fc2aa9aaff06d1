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
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/runtime/identity"
	"example.com/relationindex/internal/runtime/logging"
	"example.com/relationindex/internal/runtime/wire"
)

// Feed is the name of the HTTP function that clients read a feed by where
// querying the relations themselves costs too much: see docs/feed.md, and
// feed.openapi.yaml for every header and answer.
//
// It only reads, so a request may be made again at any time. It can be deployed
// with a service account of its own that can do no more.
const Feed = "Feed"

// How Feed is deployed. A request holds some 10 MiB at most, whatever the posts
// are, and usually less than one.
const (
	FeedTimeout     = 30 * time.Second
	FeedMemoryMiB   = 512
	FeedConcurrency = 40
)

const feedReserve = 5 * time.Second // to answer

// defaultLimit is how many posts a page has when the client does not say.
const defaultLimit = 20

// feedMethods are what Feed answers, as the header Allow has it.
const feedMethods = "GET, HEAD, OPTIONS"

// feedServer is the function Feed over one database.
type feedServer struct {
	feed     *feed.Feed
	verifier *identity.Verifier
	appCheck bool
	rates    *rates
	runs     *reporter
}

// newFeed makes the function. It costs no requests.
func newFeed(f *feed.Feed, verifier *identity.Verifier, cfg config.Functions, runs *reporter) (http.HandlerFunc, error) {
	compressed, err := gzhttp.NewWrapper(gzhttp.EnableZstd(false), gzhttp.ContentTypes([]string{jsonType}))
	if err != nil {
		return nil, err
	}
	rates, err := newRates(cfg.WithDefaults().FeedRate, time.Now)
	if err != nil {
		return nil, err
	}
	var h http.Handler = compressed(&feedServer{feed: f, verifier: verifier, appCheck: cfg.AppCheck, rates: rates, runs: runs})
	if len(cfg.Origins) > 0 { // the library takes none for all
		h = cors.New(cors.Options{
			AllowedOrigins: cfg.Origins,
			AllowedMethods: []string{http.MethodGet, http.MethodHead},
			AllowedHeaders: []string{"Authorization", "If-None-Match", appCheckHeader},
			ExposedHeaders: []string{"ETag", "Retry-After"},
			MaxAge:         int((2 * time.Hour).Seconds()), // the most that Chromium keeps it
		}).Handler(h)
	}
	return h.ServeHTTP, nil
}

func (s *feedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(wire.WithReason(r.Context(), Feed), FeedTimeout-feedReserve)
	defer cancel()
	ctx, run := s.runs.begin(ctx, Feed)
	page, status, err := feed.Page{}, http.StatusInternalServerError, errPanicked
	defer func() {
		ended := feedOutcome(status, r.Context().Err() != nil)
		if ended != failed {
			err = nil // why it was refused would say whose it is
		}
		run.end(ctx, ended, err, slog.Int(logging.Status, status), slog.Int(logging.Posts, len(page.Posts)), slog.Int(logging.Rounds, page.Rounds))
	}()
	page, status, err = s.serve(w, r.WithContext(ctx))
	for _, err := range page.Damaged {
		s.runs.logger.WarnContext(ctx, "post left out of feeds", logging.Function, Feed, logging.Error, err)
	}
}

// feedOutcome is the outcome of a request that was answered with status, by a
// client that is gone or not.
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

// serve answers a request and returns what there is to log of it.
func (s *feedServer) serve(w http.ResponseWriter, r *http.Request) (feed.Page, int, error) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions: // of a browser whose origin is not allowed, or of somebody curious
		w.Header().Set("Allow", feedMethods)
		w.WriteHeader(http.StatusNoContent)
		return feed.Page{}, http.StatusNoContent, nil
	default:
		w.Header().Set("Allow", feedMethods)
		return feed.Page{}, fail(w, http.StatusMethodNotAllowed, "method-not-allowed", "read a feed by GET"), nil
	}
	uid, status, err := s.user(w, r)
	if status != 0 {
		return feed.Page{}, status, err
	}
	limit, cursor, err := parseQuery(r.URL.RawQuery)
	if err != nil {
		return feed.Page{}, fail(w, http.StatusBadRequest, "invalid-argument", err.Error()), err
	}
	page, err := s.feed.Page(r.Context(), uid, limit, cursor)
	switch {
	case err == nil:
		status, err := answerPage(w, r, page)
		return page, status, err
	case errors.Is(err, feed.ErrCursor):
		return page, fail(w, http.StatusBadRequest, "invalid-argument", "cursor: "+badCursor), err
	case transient(err):
		return page, unavailable(w), err
	default:
		return page, fail(w, http.StatusInternalServerError, "internal", "the log says why"), err
	}
}

// user is the account that a request is of; with a status, the request has been
// refused with it.
func (s *feedServer) user(w http.ResponseWriter, r *http.Request) (uid string, status int, err error) {
	if s.appCheck {
		err := errNoToken
		if tokens := r.Header.Values(appCheckHeader); len(tokens) == 1 {
			err = s.verifier.App(r.Context(), tokens[0])
		}
		if err != nil {
			return "", refuse(w, err, `Bearer`, "the header "+appCheckHeader+" needs a good App Check token"), err
		}
	}
	token, err := bearer(r)
	if err != nil {
		return "", refuse(w, err, `Bearer`, "the header Authorization needs a Firebase ID token: Bearer TOKEN"), err
	}
	if uid, err = s.verifier.User(r.Context(), token); err != nil {
		return "", refuse(w, err, `Bearer error="invalid_token"`, "the ID token is expired, revoked, or not one of this project; sign in again"), err
	}
	// After the token, or anybody could use up what is another's.
	if wait := s.rates.take(uid); wait > 0 {
		return "", exhausted(w, wait), nil
	}
	return uid, 0, nil
}
