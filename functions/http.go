package functions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/cloudevents/sdk-go/v2/event"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
)

// maxEventBytes is the largest request body that a function reads. Eventarc delivers at
// most 512 KB; the rest is a margin for undocumented parts.
const maxEventBytes = 4 << 20

// receive returns an HTTP function that passes CloudEvents to handle. 204 acknowledges
// the event, 500 requests redelivery. A malformed event is logged as dropped and
// acknowledged.
//
// The framework would use the receiver of the CloudEvents SDK. That receiver may handle a
// request in the goroutine and context of another concurrent request. When the other
// request is answered first, the handler is canceled, or a request waits for ever. See
// docs/decisions/0002-popular-authors.md.
func receive(function string, runs *reporter, handle func(context.Context, event.Event) error) http.HandlerFunc {
	drop := func(w http.ResponseWriter, r *http.Request, err error) {
		ctx, run := runs.begin(r.Context(), function)
		run.eventID = r.Header.Get("Ce-Id")
		run.end(ctx, dropped, err)
		w.WriteHeader(http.StatusNoContent)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "use POST to deliver an event", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxEventBytes))
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			drop(w, r, fmt.Errorf("%w: %w", errMalformed, err))
			return
		}
		if err != nil { // the sender has left
			http.Error(w, "the event is incomplete", http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		e, err := cehttp.NewEventFromHTTPRequest(r)
		if err == nil {
			err = e.Validate()
		}
		if err != nil {
			drop(w, r, fmt.Errorf("%w: not a CloudEvent: %w", errMalformed, err))
			return
		}
		if err := handle(r.Context(), *e); err != nil {
			http.Error(w, "not handled; the event will be retried, and the log has the reason", http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}
