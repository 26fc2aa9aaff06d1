package tool

import (
	"context"
	"errors"
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
