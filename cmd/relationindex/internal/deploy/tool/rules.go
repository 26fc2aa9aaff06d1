package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// RulesAPI is the Security Rules API. Neither gcloud nor firebase-tools prints rules.
const RulesAPI = "https://firebaserules.googleapis.com"

// rulesPatience is long for two small requests.
const rulesPatience = 30 * time.Second

// ErrNoRules reports a database without rules.
var ErrNoRules = errors.New("the database has no rules")

// LiveRules are the rules of a database, "" being (default), read with an access
// token. ErrNoRules if there are none. Releases are named as firebase-tools 15
// names them (lib/rulesDeploy.js).
func LiveRules(ctx context.Context, base, project, database, token string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, rulesPatience)
	defer cancel()
	name := "cloud.firestore"
	if database != "" {
		name += "/" + database
	}
	var release struct{ RulesetName string }
	switch err := getJSON(ctx, base+"/v1/projects/"+project+"/releases/"+name, project, token, &release); {
	case errors.Is(err, errNotFound):
		return "", ErrNoRules
	case err != nil:
		return "", err
	}
	var set struct {
		Source struct{ Files []struct{ Content string } }
	}
	if err := getJSON(ctx, base+"/v1/"+release.RulesetName, project, token, &set); err != nil {
		return "", err
	}
	var text strings.Builder
	for _, f := range set.Source.Files {
		text.WriteString(f.Content)
	}
	return text.String(), nil
}

var errNotFound = errors.New("not found")

func getJSON(ctx context.Context, url, project, token string, into any) error {
	return callJSON(ctx, http.MethodGet, url, project, token, nil, into)
}

// callJSON sends a request, with a body unless that is nil, and decodes what comes back.
func callJSON(ctx context.Context, method, url, project, token string, body []byte, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("X-Goog-User-Project", project)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	switch {
	case err != nil:
		return fmt.Errorf("%s %s: %w", method, url, err)
	case res.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%s %s: %w", method, url, errNotFound)
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("%s %s: %s: %.300s", method, url, res.Status, answer)
	}
	return json.Unmarshal(answer, into)
}
