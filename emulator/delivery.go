package emulator

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// attempt posts d to its function once, and reports success. It logs a failure, unless the
// broker has ended.
func (b *Broker) attempt(t Trigger, d *delivery) bool {
	status, err := 0, errDropped
	if !d.dropped() {
		status, err = b.post(t, d.message)
	}
	if err == nil || b.ctx.Err() != nil {
		return err == nil
	}
	b.log.LogAttrs(b.ctx, levelFailure, "delivery failed",
		slog.String(keyProject, Name(d.message.event.Project, d.message.event.Database)), slog.String(keyTrigger, t.Name), slog.String(keyEvent, d.message.event.ID),
		slog.Int(keyAttempt, d.attempt), slog.Int(keyStatus, status), slog.Any(keyError, err))
	return false
}

// post sends one request as Eventarc does. An answer other than 2xx is an error. status is
// 0 without an answer.
func (b *Broker) post(t Trigger, m *message) (status int, err error) {
	ctx, cancel := context.WithTimeout(b.ctx, t.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.URL, bytes.NewReader(m.body))
	if err != nil {
		return 0, err
	}
	req.Header = m.header.Clone()
	resp, err := b.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	// Reading the body to its end keeps the connection.
	if _, err := io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)); err != nil {
		return resp.StatusCode, err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return resp.StatusCode, fmt.Errorf("the function answered %s", resp.Status)
	}
	return resp.StatusCode, nil
}

// newClient returns the client that all deliveries share. It keeps a connection for each
// delivery in flight and uses no proxy. A redirect is a failure.
func newClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
			MaxIdleConnsPerHost: 10 * maxConcurrency,
			IdleConnTimeout:     90 * time.Second,
			DisableCompression:  true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
