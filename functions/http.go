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

// maxEventBytes is the largest request that a function reads. Eventarc delivers
// at most 512 KB; the rest is room for what is not known of it.
const maxEventBytes = 4 << 20

// receive makes an HTTP function of one that takes CloudEvents: 204
// acknowledges the event, 500 asks for it again.
//
// The CloudEvents SDK has a receiver, which the framework uses for functions
// registered as such. It hands a request to whichever of the concurrent
// requests' goroutines is free, with that one's context; when that request is
// answered first, the other is canceled, or waits for ever. See
// docs/decisions/0009.
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
			http.Error(w, "events come by POST", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxEventBytes))
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			drop(w, r, fmt.Errorf("%w: %w", errMalformed, err))
			return
		}
		if err != nil { // the sender has gone
			http.Error(w, "the event was cut off", http.StatusBadRequest)
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
			http.Error(w, "to be delivered again; the log says why", http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}
