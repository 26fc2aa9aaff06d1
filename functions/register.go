package functions

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"sync"

	"github.com/GoogleCloudPlatform/functions-framework-go/functions"

	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/runtime/logging"
	"example.com/relationindex/internal/runtime/wire"
)

// Register registers every function with the framework, under its name.
// indexes is firestore.indexes.json as it is deployed beside the functions: a
// configuration that it cannot carry is refused. Nothing is connected before
// the first event. It may be called once.
//
// It ends a deployed process that has a wrong variable, with a line in the log
// for each: see [config.CheckStart]. Cloud Run sees that the instance does not
// start, and leaves the traffic with the revision before.
func Register(indexes []byte) {
	if err := config.CheckStart(indexes); err != nil {
		for _, wrong := range config.Each(err) {
			logging.New(os.Stderr, slog.LevelError).Error("the functions refuse to start", logging.Error, wrong)
		}
		os.Exit(1)
	}
	// Every function of a deployment is in every process, but each process gets
	// the events of one: they share what the first event makes.
	deployed := sync.OnceValues(func() (*Handlers, error) { return deployed(indexes) })
	for _, name := range Names() {
		functions.HTTP(name, func(w http.ResponseWriter, r *http.Request) {
			h, err := deployed()
			if err == nil && r.Method == http.MethodPost { // an event: who only looks asks nothing of the database
				err = h.Ready(r.Context(), name)
			}
			if err != nil {
				// Deployed wrongly: the event comes again when that is mended.
				logging.New(os.Stderr, slog.LevelError).ErrorContext(r.Context(), "function is not configured", logging.Error, err)
				unconfigured(name, w)
				return
			}
			h.HTTP(name)(w, r)
		})
	}
}

// unconfigured answers a request for a function that cannot be made: an event
// comes again, and a client of Feed gets an error in the shape that it knows. There is
// no line of a run: the alert runs-failing counts 503, and feed-errors every 5xx.
func unconfigured(name string, w http.ResponseWriter) {
	const message = "the function is not configured; the log says how"
	if name == Feed {
		fail(w, http.StatusInternalServerError, "internal", message)
		return
	}
	http.Error(w, message, http.StatusServiceUnavailable)
}

// deployed makes the handlers of this process from its environment.
func deployed(indexes []byte) (*Handlers, error) {
	ctx := context.Background() // outlives the event that happens to be first
	cfg, err := config.LoadFunctions(indexes)
	if err != nil {
		return nil, err
	}
	client, err := wire.OpenDatabase(ctx, cfg.Project, cfg.Database, cfg.EmulatorHost)
	if err != nil {
		return nil, err
	}
	return New(client, cfg, logging.New(os.Stderr, cfg.LogLevel))
}
