package functions

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/functions/triggers"
)

// A function deployed without its configuration returns the error in the form that Feed's
// clients parse.
func TestFeedWithoutConfiguration(t *testing.T) {
	w := httptest.NewRecorder()
	unconfigured(triggers.Feed, w)
	if w.Code != http.StatusInternalServerError || w.Header().Get("Content-Type") != jsonType || !strings.Contains(w.Body.String(), `{"error":{"code":"internal",`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func TestTransientErrors(t *testing.T) {
	for err, want := range map[error]bool{
		context.DeadlineExceeded:                                                 true,
		fmt.Errorf("query: %w", context.Canceled):                                true,
		fmt.Errorf("query: %w", status.Error(codes.Unavailable, "")):             true,
		fmt.Errorf("query: %w", status.Error(codes.ResourceExhausted, "")):       true,
		fmt.Errorf("query: %w", status.Error(codes.FailedPrecondition, "index")): false,
		errors.New("damaged"):                                                    false,
	} {
		if got := transient(err); got != want {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
	}
}
