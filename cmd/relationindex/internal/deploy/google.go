package deploy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// google reads the rules and the documents of a database, which neither gcloud nor
// firebase-tools prints.
type google struct {
	machine           *Machine
	project, database string // database is the id, such as (default)
	token             string
}

// google returns the reader of the deployment's database, with an access token.
func (o Options) google(m *Machine, token string) google {
	return google{m, o.Project, o.Config.DatabaseID(), token}
}

var errNotFound = errors.New("not found")

// rules returns the rules of the database, or errNotFound if the database has none. It uses
// the release names of firebase-tools 15 (lib/rulesDeploy.js).
func (g google) rules(ctx context.Context) (string, error) {
	base := g.machine.RulesAPI + "/v1/"
	name := strings.TrimSuffix("cloud.firestore/"+g.database, "/(default)")
	var release struct{ RulesetName string }
	if err := g.get(ctx, base+"projects/"+g.project+"/releases/"+name, &release); err != nil {
		return "", err
	}
	var set struct {
		Source struct{ Files []struct{ Content string } }
	}
	if err := g.get(ctx, base+release.RulesetName, &set); err != nil {
		return "", err
	}
	var text strings.Builder
	for _, f := range set.Source.Files {
		text.WriteString(f.Content)
	}
	return text.String(), nil
}

func (g google) documents() string {
	return g.machine.FirestoreAPI + "/v1/projects/" + g.project + "/databases/" + g.database + "/documents"
}

// variables returns the variables that functions have stored in _settings/functions. It returns
// errNotFound if no functions have ever started for this database.
func (g google) variables(ctx context.Context) (map[string]string, error) {
	var doc struct {
		Fields struct {
			Variables struct {
				MapValue struct {
					Fields map[string]struct{ StringValue string }
				}
			}
		}
	}
	err := g.get(ctx, g.documents()+"/_settings/functions", &doc)
	variables := map[string]string{}
	for name, value := range doc.Fields.Variables.MapValue.Fields {
		variables[name] = value.StringValue
	}
	return variables, err
}

// maxCounted is the maximum result of count. Counting a thousand documents costs one read.
const maxCounted = 1_000_000

// count returns the number of documents in a top-level collection, at most maxCounted.
func (g google) count(ctx context.Context, collection string) (int64, error) {
	body := fmt.Sprintf(`{"structuredAggregationQuery": {"structuredQuery": {"from": [{"collectionId": %q}]}, "aggregations": [{"alias": "n", "count": {"upTo": "%d"}}]}}`,
		collection, maxCounted)
	var answer []struct {
		Result struct {
			AggregateFields struct {
				N struct {
					IntegerValue int64 `json:",string"`
				}
			}
		}
	}
	url := g.documents() + ":runAggregationQuery"
	if err := g.call(ctx, http.MethodPost, url, body, &answer); err != nil {
		return 0, err
	}
	if len(answer) == 0 {
		return 0, fmt.Errorf("POST %s: the answer has no count", url)
	}
	return answer[0].Result.AggregateFields.N.IntegerValue, nil
}

func (g google) get(ctx context.Context, url string, into any) error {
	return g.call(ctx, http.MethodGet, url, "", into)
}

// patience is the timeout of a request: much more than a small request needs.
const patience = 30 * time.Second

// call sends a request, and decodes the answer. It returns errNotFound for status 404.
func (g google) call(ctx context.Context, method, url, body string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+g.token)
	req.Header.Set("X-Goog-User-Project", g.project)
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
