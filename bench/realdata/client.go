package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// pageSize is the longest page that the rules allow.
const pageSize = 50

// reader reads its own feed as a client does: over the REST API of the
// emulator, with a token of its own. The rules decide what it gets.
type reader struct {
	uid  string
	host string // of the emulator
	http *http.Client
}

// token is an ID token of the reader. The emulator takes unsigned ones.
func (r reader) token() (string, error) {
	now := time.Now().Unix()
	claims, err := json.Marshal(map[string]any{
		"iss": "https://securetoken.google.com/" + project, "aud": project,
		"sub": r.uid, "user_id": r.uid, "iat": now, "exp": now + 3600,
	})
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + encode(claims) + ".", nil
}

// relation is what a query returns of a document.
type relation struct {
	Name   string `json:"name"`
	Fields struct {
		PostID    struct{ StringValue string }    `json:"postId"`
		CreatedAt struct{ TimestampValue string } `json:"createdAt"`
	} `json:"fields"`
}

// feed is the whole feed, in the order of the pages.
func (r reader) feed(ctx context.Context) ([]post, error) {
	token, err := r.token()
	if err != nil {
		return nil, err
	}
	var feed []post
	var last *relation
	for {
		page, err := r.page(ctx, token, last)
		if err != nil {
			return nil, fmt.Errorf("feed of %s after %d posts: %w", r.uid, len(feed), err)
		}
		for _, doc := range page {
			at, err := time.Parse(time.RFC3339Nano, doc.Fields.CreatedAt.TimestampValue)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", doc.Name, err)
			}
			feed = append(feed, post{doc.Fields.PostID.StringValue, at})
		}
		if len(page) < pageSize {
			return feed, nil
		}
		last = &page[len(page)-1]
	}
}

// page is the page after a relation; nil: the first.
func (r reader) page(ctx context.Context, token string, after *relation) ([]relation, error) {
	body, err := json.Marshal(map[string]any{"structuredQuery": r.query(after)})
	if err != nil {
		return nil, err
	}
	url := "http://" + r.host + "/v1/projects/" + project + "/databases/(default)/documents:runQuery"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := r.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10)) // what could be read
		return nil, fmt.Errorf("%s: %s", resp.Status, bytes.TrimSpace(text))
	}
	var results []struct {
		Document *relation `json:"document"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&results); err != nil {
		return nil, err
	}
	var page []relation
	for _, result := range results {
		if result.Document != nil { // an empty page has a read time only
			page = append(page, *result.Document)
		}
	}
	return page, nil
}

// query is the feed query, and the document's name as its tie-break, which a
// cursor needs.
func (r reader) query(after *relation) map[string]any {
	field := func(path string) map[string]any { return map[string]any{"fieldPath": path} }
	query := map[string]any{
		"from": []any{map[string]any{"collectionId": "_relations"}},
		"where": map[string]any{"fieldFilter": map[string]any{
			"field": field("followers"), "op": "ARRAY_CONTAINS", "value": map[string]any{"stringValue": r.uid},
		}},
		"orderBy": []any{
			map[string]any{"field": field("createdAt"), "direction": "DESCENDING"},
			map[string]any{"field": field("__name__"), "direction": "DESCENDING"},
		},
		"limit": pageSize,
	}
	if after != nil {
		query["startAt"] = map[string]any{"before": false, "values": []any{
			map[string]any{"timestampValue": after.Fields.CreatedAt.TimestampValue},
			map[string]any{"referenceValue": after.Name},
		}}
	}
	return query
}
