package functions

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/schema"
)

// A handler that the platform ends cannot log the cause, and leaves locks behind.
func TestHandlersEndBeforeThePlatformDoes(t *testing.T) {
	cfg := schema.Config{Project: "p", AuthorFields: []string{"a=b"}}.WithDefaults()
	for _, trigger := range triggers.Events(cfg) {
		h := &Handlers{cfg: cfg, runs: &reporter{slog.New(slog.DiscardHandler)}, triggers: map[string]triggers.Trigger{trigger.Name: trigger}}
		path := strings.NewReplacer("{", "", "}", "").Replace(trigger.Document)
		e := encode(t, &firestoredata.DocumentEventData{Value: document(path, nil)})
		called := time.Now()
		err := h.handle(t.Context(), trigger.Name, e, func(ctx context.Context, _ *run) error {
			deadline, _ := ctx.Deadline()
			if left := called.Add(trigger.Timeout).Sub(deadline); left < 3*time.Second {
				t.Errorf("%s may work until %v before its timeout", trigger.Name, left)
			}
			if trigger.Name == "OnJobWritten" && deadline.Before(called.Add(schema.MaxStep)) {
				t.Errorf("a step may have %v, its handler %v", schema.MaxStep, deadline.Sub(called))
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
