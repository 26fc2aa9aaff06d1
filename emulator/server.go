package emulator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// The limits of the timeout of GET /idle.
const (
	defaultIdleTimeout = time.Minute
	maxIdleTimeout     = time.Hour
)

// handler has the broker's routes.
func (b *Broker) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /functions/projects/{project}/triggers/{trigger}", b.serveEvent) // the emulator
	mux.HandleFunc("GET /idle", b.serveIdle)                                              // scripts and tests in other languages
	return mux
}

// idleAnswer is the JSON of GET /idle.
type idleAnswer struct {
	Idle          bool   `json:"idle"`
	Error         string `json:"error,omitempty"`
	*NotIdleError        // what is not idle
}

// serveIdle waits like Idle. It answers 200 when idle, 504 with what is not idle after the timeout, 400 for a bad timeout, 404
// for a project without triggers, and 503 after the end of the emulator.
func (b *Broker) serveIdle(w http.ResponseWriter, r *http.Request) {
	timeout, err := idleTimeout(r.URL.Query().Get("timeout"))
	if err != nil {
		answerIdle(w, http.StatusBadRequest, err)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	err = b.Idle(ctx, r.URL.Query().Get("project"))
	var notIdle *NotIdleError
	switch {
	case err == nil:
		answerIdle(w, http.StatusOK, nil)
	case errors.As(err, &notIdle):
		answerIdle(w, http.StatusGatewayTimeout, err)
	case errors.Is(err, ErrUnknownProject):
		answerIdle(w, http.StatusNotFound, err)
	case errors.Is(err, ErrClosed), errors.Is(err, ErrEnded):
		answerIdle(w, http.StatusServiceUnavailable, err)
	default: // Options.Busy failed, or the barrier's write
		answerIdle(w, http.StatusInternalServerError, err)
	}
}

func idleTimeout(value string) (time.Duration, error) {
	if value == "" {
		return defaultIdleTimeout, nil
	}
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 || d > maxIdleTimeout {
		return 0, fmt.Errorf("timeout=%q: must be a duration above 0 and up to 1h, such as 60s", value)
	}
	return d, nil
}

func answerIdle(w http.ResponseWriter, status int, err error) {
	answer := idleAnswer{Idle: err == nil}
	if err != nil {
		answer.Error = err.Error()
		errors.As(err, &answer.NotIdleError)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // the caller may have disconnected
}
