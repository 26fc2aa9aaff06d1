package front

import (
	"net/http"
	"net/url"
	"strings"
)

// The headers in which gRPC clients name the database: SDKs use the first, and other clients of Google's API the second.
const (
	prefixHeader = "Google-Cloud-Resource-Prefix"
	paramsHeader = "X-Goog-Request-Params"
)

// databaseOf returns the database that a request is about:
//
//	gRPC        google-cloud-resource-prefix: projects/demo-a/databases/(default)
//	            x-goog-request-params: database=projects%2Fdemo-a%2Fdatabases%2F%28default%29
//	WebChannel  /google.firestore.v1.Firestore/Listen/channel?database=projects%2Fdemo-a%2Fdatabases%2F(default)
//	REST        /v1/projects/demo-a/databases/(default)/documents/users/ada
func databaseOf(r *http.Request) (project, database string, ok bool) {
	if !isGRPC(r) {
		if project, database, ok = split(r.URL.Path); ok {
			return project, database, true
		}
		return split("/" + r.URL.Query().Get("database"))
	}
	if project, database, ok = split("/" + r.Header.Get(prefixHeader)); ok {
		return project, database, true
	}
	params, err := url.ParseQuery(r.Header.Get(paramsHeader))
	if err != nil {
		return "", "", false
	}
	for _, values := range params { // one of database, parent, name
		if project, database, ok = split("/" + values[0]); ok {
			return project, database, true
		}
	}
	return "", "", false
}

func isGRPC(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc")
}

// split returns the ids in ".../projects/demo-a/databases/(default)/...".
func split(path string) (project, database string, ok bool) {
	_, rest, _ := strings.Cut(path, "/projects/")
	project, rest, _ = strings.Cut(rest, "/databases/")
	database, _, _ = strings.Cut(rest, "/")
	return project, database, project != "" && database != "" && !strings.Contains(project, "/")
}
