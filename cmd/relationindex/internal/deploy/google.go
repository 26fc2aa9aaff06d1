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

// has reports whether a top-level collection has a document. It costs a read.
func (g google) has(ctx context.Context, collection string) (bool, error) {
	var page struct{ Documents []struct{ Name string } }
	err := g.get(ctx, g.documents()+"/"+collection+"?pageSize=1&mask.fieldPaths=__name__", &page)
	return len(page.Documents) > 0, err
}

// cpu returns the quota of CPU of Cloud Run in a region, in thousandths; -1 if there is no limit. The
// region's own limit counts before the general one (Service Usage API, consumerQuotaMetrics).
func (g google) cpu(ctx context.Context, region string) (int64, error) {
	var all struct {
		Metrics []struct {
			Metric              string
			ConsumerQuotaLimits []struct {
				QuotaBuckets []struct {
					EffectiveLimit int64 `json:",string"`
					Dimensions     struct{ Region string }
				}
			}
		}
	}
	if err := g.get(ctx, g.machine.UsageAPI+"/v1beta1/projects/"+g.project+"/services/run.googleapis.com/consumerQuotaMetrics?view=FULL", &all); err != nil {
		return 0, err
	}
	limit := int64(-1)
	for _, metric := range all.Metrics {
		for _, l := range metric.ConsumerQuotaLimits {
			for _, bucket := range l.QuotaBuckets {
				if of := bucket.Dimensions.Region; metric.Metric == "run.googleapis.com/cpu_allocation" && (of == region || of == "" && limit < 0) {
					limit = bucket.EffectiveLimit
				}
			}
		}
	}
	return limit, nil
}

// patience is the timeout of a request: much more than a small request needs.
const patience = 30 * time.Second

// get sends a request, and decodes the answer. It returns errNotFound for status 404.
func (g google) get(ctx context.Context, url string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+g.token)
	req.Header.Set("X-Goog-User-Project", g.project)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, 8<<20))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", url, err)
	case res.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%s: %w", url, errNotFound)
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: %s: %.300s", url, res.Status, answer)
	}
	return json.Unmarshal(answer, into)
}
