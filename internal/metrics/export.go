package metrics

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

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
)

// Google's own collector takes requests with the default credentials of a
// service account that has roles/monitoring.metricWriter.
const (
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
	url   string
	opts  Options
	about []keyValue
	start time.Time
	sums  *sums

	exporting chan struct{} // holds a token while an export is under way
	client    *http.Client  // nil: not made yet; only for who holds the token
	mu        sync.Mutex
	due       time.Time // of the next export
	failures  int       // in a row
}

// New makes an exporter to the collector at endpoint, a URL that
// RELATIONINDEX_OTLP_ENDPOINT has accepted; with "", it is nil. Nothing is sent
// and no credentials are looked for before the first run has ended.
func New(endpoint string, o Options) *Exporter {
	if endpoint == "" {
		return nil
	}
	o.Every = cmp.Or(o.Every, Every)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	e := &Exporter{
		url: endpoint, opts: o, start: time.Now(), sums: newSums(), exporting: make(chan struct{}, 1), client: o.Client}
	if u, err := url.Parse(endpoint); err == nil {
		e.url = u.JoinPath("v1", "metrics").String()
		if u.Hostname() != googleHost {
			e.client = cmp.Or(e.client, &http.Client{})
		}
	}
	for key, text := range map[string]string{
		"service.name": "relationindex", "service.instance.id": rand.Text(),
		"service.namespace": o.Namespace, "gcp.project_id": o.Project,
	} {
		if text != "" {
			e.about = append(e.about, keyValue{key, value{text}})
		}
	}
	return e
}

// Run counts a run that is about to be answered. Where an export is due it
// starts one, and waits for it up to Patience.
func (e *Exporter) Run(ctx context.Context, r Run) {
	if e == nil {
		return
	}
	e.sums.run(r)
	if !e.isDue() {
		return
	}
	select {
	case e.exporting <- struct{}{}:
	default:
		return // another run's
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { <-e.exporting }()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		defer cancel()
		_ = e.export(ctx) // logged, and the next one tells the same and more
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
		e.sums.jobFailed(kind)
	}
}

// Flush exports now, after the export that is under way, if there is one. It is
// for the end of a process.
func (e *Exporter) Flush(ctx context.Context) error {
	if e == nil {
		return nil
	}
	select {
	case e.exporting <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-e.exporting }()
	return e.export(ctx)
}

func (e *Exporter) isDue() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !time.Now().Before(e.due)
}

// export sends all sums, and says when the next export is due. The caller holds
// the token.
func (e *Exporter) export(ctx context.Context) error {
	now := time.Now()
	err := e.send(ctx, now)
	e.mu.Lock()
	defer e.mu.Unlock()
	wait := e.opts.Every
	if err == nil {
		e.failures = 0
	} else {
		wait = min(e.opts.Every<<min(e.failures+1, 10), maxEvery)
		e.failures++
		e.opts.Logger.WarnContext(ctx, "metrics not exported", logging.Error, err)
	}
	e.due = now.Add(wait)
	return err
}

func (e *Exporter) send(ctx context.Context, now time.Time) error {
	body, err := e.sums.encode(e.about, e.start, now)
	if err != nil {
		return fmt.Errorf("encode metrics: %w", err)
	}
	if e.client == nil { // the default credentials are looked for until there are some
		client, _, err := htransport.NewClient(context.WithoutCancel(ctx), option.WithScopes(googleScope))
		if err != nil {
			return fmt.Errorf("credentials for %s: %w", e.url, err)
		}
		e.client = client
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := e.client.Do(req)
	if err != nil {
		return err // names the URL
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	if err != nil {
		return fmt.Errorf("answer of %s: %w", e.url, err)
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s answers %s: %s", e.url, resp.Status, text)
	}
	return rejected(text)
}

// rejected is the error of an answer that says that some points were not taken.
// An answer that is not JSON says nothing.
func rejected(text []byte) error {
	var answer struct {
		Partial struct {
			Rejected json.RawMessage `json:"rejectedDataPoints"`
			Message  string          `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	_ = json.Unmarshal(text, &answer)
	if n := string(bytes.Trim(answer.Partial.Rejected, `"`)); n != "" && n != "0" {
		return errors.New("the collector rejected " + n + " data points: " + answer.Partial.Message)
	}
	return nil
}
