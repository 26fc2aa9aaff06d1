package functions

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"sync/atomic"

	"github.com/GoogleCloudPlatform/functions-framework-go/functions"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// Register registers every function with the functions framework, under its name. indexes
// is the firestore.indexes.json that is deployed beside the functions. Register connects
// to nothing: the first request does. Each of custom changes the options that the
// variables give, such as [schema.Options.Deliveries] and [schema.TimelineOptions.Ranking]. Called again, before the first request,
// it registers nothing more, and the functions have the last call's options: so an app may import the package at the root of the
// module, which registers the functions without options, for its rules and indexes.
//
// In a deployed process, Register checks the variables, and the indexes against them: see
// [config.CheckStart]. It logs one line for each error, and ends the process. Cloud Run
// then keeps the traffic on the previous revision.
func Register(indexes []byte, custom ...func(*schema.Options)) {
	if err := config.CheckStart(indexes); err != nil {
		for _, wrong := range config.Each(err) {
			logging.New(os.Stderr, slog.LevelError).Error("the functions cannot start", logging.Error, wrong)
		}
		os.Exit(1)
	}
	// Every process has all functions, but receives the events of one. The functions
	// share the handlers that the first request makes.
	first := registered.Swap(&registration{sync.OnceValues(func() (*Handlers, error) { return deployed(indexes, custom) }), custom}) == nil
	if !first {
		return
	}
	for _, name := range triggers.Names() {
		functions.HTTP(name, func(w http.ResponseWriter, r *http.Request) {
			h, err := registered.Load().handlers()
			if err == nil && needsDatabase(name, r) {
				err = h.Ready(r.Context(), name)
			}
			if err != nil {
				// The event is redelivered, and succeeds once the
				// deployment is corrected.
				logging.New(os.Stderr, slog.LevelError).ErrorContext(r.Context(), "function is not configured", logging.Error, err)
				unconfigured(name, w)
				return
			}
			h.HTTP(name)(w, r)
		})
	}
}

// registered is what the last call of Register has registered.
var registered atomic.Pointer[registration]

type registration struct {
	handlers func() (*Handlers, error)
	custom   []func(*schema.Options)
}

// Custom returns what the last call of [Register] was given to change the options; none, if there was no call. A server of
// functions of several databases, as dev has, makes their [Handlers] with it.
func Custom() []func(*schema.Options) {
	if r := registered.Load(); r != nil {
		return r.custom
	}
	return nil
}

// needsDatabase reports whether a request carries an event, or asks for a page with a token.
// Others cost no read, and are answered where there is no database.
func needsDatabase(name string, r *http.Request) bool {
	if name == triggers.Feed {
		return (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.Header.Get("Authorization") != ""
	}
	return r.Method == http.MethodPost
}

// unconfigured answers a request to a function with a wrong configuration. An event gets
// 503 and is redelivered. A client of Feed gets 500, in the shape of Feed's errors. No
// run is logged: the alert runs-failing counts 503, and feed-errors every 5xx.
func unconfigured(name string, w http.ResponseWriter) {
	const message = "the function is not configured; the log has the reason"
	if name == triggers.Feed {
		fail(w, http.StatusInternalServerError, "internal", message)
		return
	}
	http.Error(w, message, http.StatusServiceUnavailable)
}

// deployed returns the handlers of this process, with the configuration from its
// environment.
func deployed(indexes []byte, custom []func(*schema.Options)) (*Handlers, error) {
	ctx := context.Background() // outlives the first request
	cfg, err := config.LoadFunctions(indexes)
	if err != nil {
		return nil, err
	}
	if bounds := cfg.WithDefaults(); cfg.EmulatorHost == "" { // on an emulator nobody pays
		cfg.AccountHour = bounds.AccountHour
	}
	client, err := wire.OpenDatabase(ctx, cfg.Project, cfg.Database, cfg.EmulatorHost)
	if err != nil {
		return nil, err
	}
	return New(client, cfg, logging.New(os.Stderr, cfg.LogLevel), custom...)
}
