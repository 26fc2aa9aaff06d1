package functions

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/GoogleCloudPlatform/functions-framework-go/functions"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// Register registers every function with the functions framework, under its name. indexes is the firestore.indexes.json
// that is deployed beside the functions. Register makes no connections: the first request does.
//
// Each of custom changes the configuration that the variables give. It sets fields without a variable, such as
// [schema.Config.Deliveries] and [schema.Config.Ranking].
//
// You may call Register again before the first request: it registers nothing more, and the functions use the last
// call's configuration. So an app may import the module's root package for its rules and indexes, although the root
// package registers the functions without changes. An app with its own indexes embeds them, and does not import the
// root package: otherwise the root package's indexes would be checked too.
//
// In a deployed process, Register checks the variables, and the indexes against them: see
// [config.CheckStart]. It logs one line for each error, and ends the process. Cloud Run
// then keeps the traffic on the previous revision.
func Register(indexes []byte, custom ...func(*schema.Config)) {
	if err := config.CheckStart(indexes, custom...); err != nil {
		for _, wrong := range config.Each(err) {
			logging.New(os.Stderr, slog.LevelError).Error("the functions cannot start", logging.Error, wrong)
		}
		os.Exit(1)
	}
	// Every process has all functions, but receives the events of one. The functions
	// share the handlers that the first request makes.
	first := registered.Swap(&registration{sync.OnceValues(func() (*Handlers, error) { return deployed(indexes) }), custom}) == nil
	if !first {
		return
	}
	for _, name := range triggers.Names() {
		functions.HTTP(name, func(w http.ResponseWriter, r *http.Request) {
			h, err := registered.Load().handlers()
			if err != nil {
				notConfigured(r.Context(), name, w, err)
				return
			}
			h.Serve(name, w, r)
		})
	}
}

// registered holds the registration by the last call of Register.
var registered atomic.Pointer[registration]

type registration struct {
	handlers func() (*Handlers, error)
	custom   []func(*schema.Config)
}

// Custom returns c, changed by the custom functions of the last call of [Register]. Without a call, it returns c
// unchanged. A server for functions of several databases, such as dev, makes their [Handlers] with this configuration.
func Custom(c schema.Config) schema.Config {
	if r := registered.Load(); r != nil {
		for _, change := range r.custom {
			change(&c)
		}
	}
	return c
}

// Serve serves a function by its name: it calls [Handlers.HTTP], once the function is [Handlers.Ready]. Until then,
// Serve answers an event with 503. So the event comes again, and succeeds once the deployment is corrected.
func (h *Handlers) Serve(function string, w http.ResponseWriter, r *http.Request) {
	if needsDatabase(function, r) {
		if err := h.Ready(r.Context(), function); err != nil {
			notConfigured(r.Context(), function, w, err)
			return
		}
	}
	h.HTTP(function)(w, r)
}

// ServeHTTP serves each function but Feed at the path of its name, such as /OnPostWritten. Use it for a service on Cloud
// Run: Eventarc delivers the events of each [triggers.Trigger] to the service, and a scheduler calls /Sweep. That
// service must not be public: it trusts its callers. Feed needs a public service of its own, which calls
// [Handlers.Serve] for it.
func (h *Handlers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if _, ok := h.triggers[name]; !ok || name == triggers.Feed {
		http.NotFound(w, r)
		return
	}
	h.Serve(name, w, r)
}

func notConfigured(ctx context.Context, function string, w http.ResponseWriter, err error) {
	logging.New(os.Stderr, slog.LevelError).ErrorContext(ctx, "function is not configured", logging.Error, err)
	unconfigured(function, w)
}

// needsDatabase reports whether a request carries an event, or requests a page with a token. Other requests cost no
// read, and get an answer even if there is no database.
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
func deployed(indexes []byte) (*Handlers, error) {
	ctx := context.Background() // outlives the first request
	cfg, err := config.LoadFunctions(indexes)
	if err != nil {
		return nil, err
	}
	client, err := wire.OpenDatabase(ctx, cfg.Project, cfg.Database, cfg.EmulatorHost)
	if err != nil {
		return nil, err
	}
	cfg.Logger = logging.New(os.Stderr, cfg.LogLevel)
	return New(client, Custom(cfg))
}
