package emulator

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// rest is the part of the emulator's HTTP interface that is not Firestore's gRPC.
type rest struct {
	host   string // "127.0.0.1:8080"
	base   string // "http://127.0.0.1:8080"
	client *http.Client
}

func newRest(host string) *rest {
	return &rest{host: host, base: "http://" + host, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}}
}

// register makes the emulator post the events of t. A trigger of the same id is replaced.
func (r *rest) register(ctx context.Context, project string, t Trigger) error {
	path := "/emulator/v1/projects/" + url.PathEscape(project) + "/eventarcTrigger?eventarcTriggerId=" + url.QueryEscape(t.id())
	return r.do(ctx, http.MethodPost, path, map[string]any{
		"eventType": t.EventType,
		"database":  cmp.Or(t.Database, defaultDatabase),
		"namespace": "(default)",
		"document":  map[string]string{"value": t.Document, "matchType": "PATH_PATTERN"},
	})
}

// put writes a document with one string field. It uses the emulator's owner token, which bypasses the rules.
func (r *rest) put(ctx context.Context, project, document, field, value string) error {
	return r.do(ctx, http.MethodPatch, "/v1/projects/"+url.PathEscape(project)+"/databases/(default)/documents/"+document,
		map[string]any{"fields": map[string]any{field: map[string]string{"stringValue": value}}})
}

// do sends one request; body is sent as JSON unless it is nil. An answer other than 200 is an error with its text.
func (r *rest) do(ctx context.Context, method, path string, body any) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("%s %s: %w", method, path, err)
		}
		content = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, r.base+path, content)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	req.Header.Set("Authorization", "Bearer owner")
	req.Header.Set("Content-Type", "application/json") // without it the emulator answers 404
	resp, err := r.client.Do(req)
	if err != nil {
		return err // a url.Error, which has the method and the address
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, bytes.TrimSpace(text))
	}
	return nil
}
