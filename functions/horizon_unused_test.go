package functions_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.com/relationindex/audit/horizon"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/schema"
)

// Without the variable, functions would not use the stored horizon: none is ready until the stored horizon is
// ended. Feed is ready, because it reads the stored horizon.
func TestFunctionsAreNotReadyWithoutHorizon(t *testing.T) {
	t.Parallel()
	a := newApp(t, schema.Config{NoOwnPosts: true})
	wantReady := func(when string, h interface {
		Ready(ctx context.Context, function string) error
	}, want error) {
		t.Helper()
		for _, name := range triggers.Names() {
			want := want
			if name == triggers.Feed {
				want = nil
			}
			if err := h.Ready(t.Context(), name); !errors.Is(err, want) {
				t.Errorf("%s, %s: %v, want %v", when, name, err, want)
			}
		}
	}
	a.OK(horizon.Begin(t.Context(), a.Client, 720*time.Hour))
	wantReady("without the variable", a.Handlers(), schema.ErrHorizonUnused)
	a.Must(schema.HorizonDocument(a.Client).Set(t.Context(), schema.Horizon{Feed: 720 * time.Hour}.Fields()))
	wantReady("while relations are filled in", a.Handlers(), schema.ErrHorizonUnused)
	a.Must(schema.HorizonDocument(a.Client).Set(t.Context(), schema.Horizon{}.Fields()))
	wantReady("when they are", a.Handlers(), nil)
}
