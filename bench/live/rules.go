package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// rules tests whether a reader may query relations with 10,000 ids under the rule `request.auth.uid in
// resource.data.followers`. It also measures that query beside the same one without rules. It needs an
// ID token.
func rules(ctx context.Context, l *live, uid string) ([]answer, error) {
	doc := l.relation("rules")
	full := l.full(schema.DefaultCapacity)
	full.Followers[len(full.Followers)-1] = uid // last, where a search is slowest
	if _, err := doc.Set(ctx, full); err != nil {
		return nil, err
	}
	answers, err := l.query(ctx, uid)
	_, removed := doc.Delete(ctx)
	return answers, errors.Join(err, removed)
}

func (l *live) query(ctx context.Context, uid string) ([]answer, error) {
	began := time.Now()
	if _, err := l.client.Collection(names.Relations).Where("followers", "array-contains", uid).
		OrderBy("createdAt", firestore.Desc).Limit(20).Documents(ctx).GetAll(); err != nil {
		return nil, err
	}
	plain := time.Since(began)
	began = time.Now()
	code, text, err := l.asClient(ctx, uid)
	if err != nil {
		return nil, err
	}
	took := time.Since(began)
	if code != http.StatusOK || !strings.Contains(text, l.author) {
		return []answer{{
			seen:  fmt.Sprintf("the feed's query is answered %d as a client: %.300s", code, text),
			wrong: "clients cannot read relations of 10,000 followers by these rules: read through Feed, or lower the capacity",
		}}, nil
	}
	return []answer{{seen: fmt.Sprintf("the feed's query takes %v under rules, %v without", took.Round(time.Millisecond), plain.Round(time.Millisecond))}}, nil
}

// asClient runs the feed's query over REST with the ID token, as a client does.
func (l *live) asClient(ctx context.Context, uid string) (code int, text string, err error) {
	return l.rest(ctx, http.MethodPost, l.database()+"/documents:runQuery", map[string]any{"structuredQuery": map[string]any{
		"from":    []any{map[string]any{"collectionId": names.Relations}},
		"where":   map[string]any{"fieldFilter": map[string]any{"field": field("followers"), "op": "ARRAY_CONTAINS", "value": map[string]any{"stringValue": uid}}},
		"orderBy": []any{map[string]any{"field": field("createdAt"), "direction": "DESCENDING"}},
		"limit":   20,
	}})
}

func (l *live) database() string {
	return strings.TrimSuffix(l.client.Doc("a/b").Path, "/documents/a/b")
}

// rest sends a request with the ID token, as a client does. body may be nil.
func (l *live) rest(ctx context.Context, method, path string, body any) (code int, text string, err error) {
	base := "https://firestore.googleapis.com"
	if l.cfg.EmulatorHost != "" {
		base = "http://" + l.cfg.EmulatorHost
	}
	var sent []byte
	if body != nil {
		if sent, err = json.Marshal(body); err != nil {
			return 0, "", err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, base+"/v1/"+path, bytes.NewReader(sent))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Authorization", "Bearer "+l.idToken)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	answered, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(answered), err
}

func field(path string) map[string]any { return map[string]any{"fieldPath": path} }

// subject returns the account of an ID token. It does not verify the token: Firestore does.
func subject(token string) (string, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return "", errors.New("-id-token: must have three parts, separated by dots")
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return "", fmt.Errorf("-id-token: %w", err)
	}
	var claims struct{ Sub string }
	if err := json.Unmarshal(payload, &claims); err != nil {
		return "", fmt.Errorf("-id-token: %w", err)
	}
	if claims.Sub == "" {
		return "", errors.New("-id-token: the token has no account id (claim sub)")
	}
	return claims.Sub, nil
}
