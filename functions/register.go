package functions

import (
	"context"
	"os"
	"sync"

	"github.com/GoogleCloudPlatform/functions-framework-go/functions"
	"github.com/cloudevents/sdk-go/v2/event"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
)

func init() {
	for name, handle := range handlers {
		functions.CloudEvent(name, func(ctx context.Context, e event.Event) error {
			h, err := deployed()
			if err != nil {
				return err
			}
			return handle(h, ctx, e)
		})
	}
}

// deployed are the handlers of this process, made from its environment by the
// first event. Every function of a deployment is in every process, but each
// process gets the events of one: what is not needed is not connected.
var deployed = sync.OnceValues(func() (*Handlers, error) {
	ctx := context.Background() // outlives the event that happens to be first
	cfg, err := config.LoadFunctions(ctx)
	if err != nil {
		return nil, err
	}
	client, err := wire.Open(ctx, cfg.Project, cfg.EmulatorHost)
	if err != nil {
		return nil, err
	}
	return New(client, cfg, logging.New(os.Stderr, cfg.LogLevel))
})
