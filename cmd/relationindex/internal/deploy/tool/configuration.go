package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// FirestoreAPI is Firestore. gcloud prints no documents.
const FirestoreAPI = "https://firestore.googleapis.com"

// LiveVariables are the variables that functions have stored in a database, read with an access token;
// none, if functions have never started there. They are in _settings/functions: see package configured.
func LiveVariables(ctx context.Context, base, project, database, token string) (variables map[string]string, stored bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, rulesPatience)
	defer cancel()
	var doc struct {
		Fields struct {
			Variables struct {
				MapValue struct {
					Fields map[string]struct{ StringValue string }
				}
			}
		}
	}
	err = getJSON(ctx, base+"/v1/projects/"+project+"/databases/"+database+"/documents/_settings/functions", project, token, &doc)
	if errors.Is(err, errNotFound) {
		return nil, false, nil
	}
	variables = map[string]string{}
	for name, value := range doc.Fields.Variables.MapValue.Fields {
		variables[name] = value.StringValue
	}
	return variables, err == nil, err
}

// MaxCounted is how many documents Count counts, at a read for each thousand.
const MaxCounted = 1_000_000

// Count counts the documents of a collection at the top of a database, up to [MaxCounted], with an access
// token.
func Count(ctx context.Context, base, project, database, collection, token string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, rulesPatience)
	defer cancel()
	type object = map[string]any
	body, err := json.Marshal(object{"structuredAggregationQuery": object{
		"structuredQuery": object{"from": []object{{"collectionId": collection}}},
		"aggregations":    []object{{"alias": "n", "count": object{"upTo": fmt.Sprint(MaxCounted)}}},
	}})
	if err != nil {
		return 0, err
	}
	var answer []struct {
		Result struct {
			AggregateFields struct {
				N struct {
					IntegerValue int64 `json:",string"`
				}
			}
		}
	}
	url := base + "/v1/projects/" + project + "/databases/" + database + "/documents:runAggregationQuery"
	if err := callJSON(ctx, http.MethodPost, url, project, token, body, &answer); err != nil {
		return 0, err
	}
	if len(answer) == 0 {
		return 0, fmt.Errorf("POST %s: it counts nothing", url)
	}
	return answer[0].Result.AggregateFields.N.IntegerValue, nil
}
