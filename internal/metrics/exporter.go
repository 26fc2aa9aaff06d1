package metrics

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/metric"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
	"google.golang.org/api/option"
	htransport "google.golang.org/api/transport/http"

	"example.com/relationindex/internal/logging"
)

const (
	// Patience is the most that an export delays the run that starts it.
	Patience = 200 * time.Millisecond
	// Every is the least time between the starts of two exports. Each that fails
	// doubles it, up to maxEvery.
	Every    = 10 * time.Second
	maxEvery = 5 * time.Minute
	// timeout is how long a collector may take; it is tried again after that.
	timeout = 5 * time.Second

	// Google's own collector takes requests with the default credentials of a
	// service account that has roles/monitoring.metricWriter.
	googleHost  = "telemetry.googleapis.com"
	googleScope = "https://www.googleapis.com/auth/monitoring.write"
)

// Options of an Exporter. The zero value is the default.
type Options struct {
	Project   string        // the resource attribute gcp.project_id, which Google's collector asks for; "": none
	Namespace string        // service.namespace: tells copies of the system apart; "": none
	Every     time.Duration // 0: Every; below 0: each run exports unless another is at it
	Client    *http.Client  // nil: one with Google's default credentials for Google's collector, else one without any
	Logger    *slog.Logger  // told of exports that failed; nil: slog.Default()
}

// Exporter counts runs and sends the sums. It is safe for concurrent use. The
// nil Exporter counts nothing.
type Exporter struct {
	endpoint    string
	opts        Options
	instruments instruments
	sums        *sdk.ManualReader

	mu   sync.Mutex               // held for as long as an export takes
	otlp *otlpmetrichttp.Exporter // nil: not made yet
	wait time.Duration            // from the start of the last export to that of the next
	due  time.Time                // of the next export
}

// New makes an exporter to the collector at endpoint, a URL that
// RELATIONINDEX_OTLP_ENDPOINT has accepted; with "", it is nil. Nothing is sent
// and no credentials are looked for before the first run has ended. What
// OpenTelemetry itself has to say goes to the logger of the last New.
func New(endpoint string, o Options) *Exporter {
	if endpoint == "" {
		return nil
	}
	o.Every = cmp.Or(o.Every, Every)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	otel.SetLogger(logr.FromSlogHandler(o.Logger.Handler()))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		o.Logger.Warn("OpenTelemetry complains", logging.Error, err)
	}))
	about := slices.DeleteFunc([]attribute.KeyValue{
		attribute.String("service.name", "relationindex"), attribute.String("service.instance.id", rand.Text()),
		attribute.String("service.namespace", o.Namespace), attribute.String("gcp.project_id", o.Project),
	}, func(a attribute.KeyValue) bool { return a.Value.AsString() == "" })
	sums := sdk.NewManualReader()
	provider := sdk.NewMeterProvider(sdk.WithReader(sums), sdk.WithResource(resource.NewSchemaless(about...)))
	return &Exporter{
		endpoint: endpoint, opts: o, sums: sums, wait: o.Every,
		instruments: newInstruments(provider.Meter("example.com/relationindex")),
	}
}

// Run counts a run that is about to be answered. Where an export is due it
// starts one, and waits for it up to Patience.
func (e *Exporter) Run(ctx context.Context, r Run) {
	if e == nil {
		return
	}
	e.instruments.run(ctx, r)
	if !e.mu.TryLock() {
		return // another run exports
	}
	if time.Now().Before(e.due) {
		e.mu.Unlock()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer e.mu.Unlock()
		_ = e.export(context.WithoutCancel(ctx)) // logged, and the next one tells the same and more
	}()
	patience := time.NewTimer(Patience)
	defer patience.Stop()
	select {
	case <-done:
	case <-patience.C:
	}
}

// JobFailed counts a job that has failed for good.
func (e *Exporter) JobFailed(kind string) {
	if e != nil {
		e.instruments.jobsFailed.Add(context.Background(), 1, metric.WithAttributes(attribute.String("kind", kind)))
	}
}

// Flush exports now, after the export that is under way, if there is one. It is
// for the end of a process.
func (e *Exporter) Flush(ctx context.Context) error {
	if e == nil {
		return nil
	}
	e.mu.Lock() // no longer than timeout
	defer e.mu.Unlock()
	return e.export(ctx)
}

// export sends all sums, and says when the next export is due. The caller holds
// the lock.
func (e *Exporter) export(ctx context.Context) error {
	started := time.Now()
	err := e.send(ctx)
	if err == nil {
		e.wait = e.opts.Every
	} else {
		e.wait = min(2*e.wait, maxEvery)
		e.opts.Logger.WarnContext(ctx, "metrics not exported", logging.Error, err)
	}
	e.due = started.Add(e.wait)
	return err
}

func (e *Exporter) send(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var all metricdata.ResourceMetrics
	if err := e.sums.Collect(ctx, &all); err != nil {
		return err
	}
	if e.otlp == nil { // tried until it succeeds
		otlp, err := e.connect(ctx)
		if err != nil {
			return fmt.Errorf("exporter to %s: %w", e.endpoint, err)
		}
		e.otlp = otlp
	}
	if err := e.otlp.Export(ctx, &all); err != nil {
		return fmt.Errorf("%s: %w", e.endpoint, err)
	}
	return nil
}

// connect makes the exporter, and looks for credentials where they are needed.
// It sends nothing.
func (e *Exporter) connect(ctx context.Context) (*otlpmetrichttp.Exporter, error) {
	u, err := url.Parse(e.endpoint)
	if err != nil {
		return nil, err
	}
	client := e.opts.Client
	if client == nil && u.Hostname() == googleHost {
		if client, _, err = htransport.NewClient(context.WithoutCancel(ctx), option.WithScopes(googleScope)); err != nil {
			return nil, err
		}
	}
	return otlpmetrichttp.New(ctx,
		otlpmetrichttp.WithEndpointURL(u.JoinPath("v1", "metrics").String()),
		otlpmetrichttp.WithHTTPClient(client),
		otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{Enabled: false})) // the next export repeats this one
}
