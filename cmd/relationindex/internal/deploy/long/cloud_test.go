package deploy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

const accessToken = "ya29.a-test" //nolint:gosec // of the test

// object is a resource of an API.
type object = map[string]any

// cloud answers the REST calls of gcloud as Google does, as far as a deployment
// goes: resources that are created, listed, changed and deleted, and policies.
// It is state, and no rules: what Google refuses for other reasons it takes.
type cloud struct {
	*httptest.Server

	mu        sync.Mutex
	resources map[string]object // by service and name: "iam/projects/p/serviceAccounts/x"
	policies  map[string]object
	apis      []string
	runtimes  []string
	rules     map[string]string // live, by release
	documents map[string]int    // how many a collection has
	changed   []string          // the requests that changed something
	// refuse is asked before each change; an answer is the message of a 400.
	refuse func(method, resource string) string
	// noSecrets: nobody may list secrets.
	noSecrets bool
	next      int
}

func newCloud(t *testing.T) *cloud {
	t.Helper()
	c := &cloud{
		resources: map[string]object{
			"cloudresourcemanager/projects/p":                {"projectId": "p", "projectNumber": "123", "lifecycleState": "ACTIVE"},
			"firestore/projects/p/databases/(default)":       {"name": "projects/p/databases/(default)", "type": "FIRESTORE_NATIVE", "locationId": "nam5"},
			"firestore/projects/p/databases/(default)/index": {},
			"firestore/projects/p/databases/blue":            {"name": "projects/p/databases/blue", "type": "FIRESTORE_NATIVE", "locationId": "nam5"},
		},
		policies: map[string]object{}, rules: map[string]string{}, runtimes: []string{"go125", "go126"},
	}
	c.Server = httptest.NewServer(http.HandlerFunc(c.serve))
	t.Cleanup(c.Close)
	return c
}

// collections are the collections that are asked for, with the field that a list has them in.
var collections = map[string]string{
	"serviceAccounts": "accounts", "functions": "functions", "jobs": "jobs", "metrics": "metrics",
	"repositories": "repositories", "alertPolicies": "alertPolicies", "dashboards": "dashboards", "indexes": "indexes", "fields": "fields", "secrets": "secrets", "versions": "versions",
	"roles": "roles",
}

var version = regexp.MustCompile(`^v\d+[a-z0-9]*/`)

func (c *cloud) serve(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	service, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	name, _ := url.PathUnescape(version.ReplaceAllString(rest, "")) // of names with a slash in them
	name = strings.NewReplacer("projects/-/", "projects/p/", "locations/-/", "locations/us-central1/", "collectionGroups/-/", "collectionGroups/_relations/").Replace(name)
	body := object{}
	if raw, _ := io.ReadAll(r.Body); len(raw) > 0 && service != "upload" {
		if err := json.Unmarshal(raw, &body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	status, answer := c.answer(r, service, name, body)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	var sent any = answer
	switch {
	case status >= 400:
		sent = object{"error": object{"code": status, "message": answer["message"], "status": answer["status"]}}
	case strings.HasSuffix(name, aggregation):
		sent = []object{answer}
	}
	_ = json.NewEncoder(w).Encode(sent)
}

// aggregation ends the name of what counts documents, whose answer is a list.
const aggregation = "/documents:runAggregationQuery"

func failed(status int, code, format string, args ...any) (int, object) {
	return status, object{"status": code, "message": fmt.Sprintf(format, args...)}
}

func (c *cloud) answer(r *http.Request, service, name string, body object) (int, object) {
	key := service + "/" + name
	name, verb, _ := strings.Cut(name, ":")
	switch {
	case service == "upload", verb == "generateUploadUrl":
		return http.StatusOK, object{"uploadUrl": c.URL + "/upload/x", "storageSource": object{"bucket": "b", "object": "o"}}
	case c.noSecrets && path.Base(name) == "secrets":
		return failed(http.StatusForbidden, "PERMISSION_DENIED", "Permission denied on resource project p.")
	case service == "secretmanager" && verb == "getIamPolicy" && c.resources[service+"/"+name] == nil:
		return failed(http.StatusNotFound, "NOT_FOUND", "Secret [%s] not found.", name)
	case verb == "getIamPolicy":
		return http.StatusOK, c.policy(service + "/" + name)
	case verb == "setIamPolicy":
		if status, refused := c.change(r.Method+" policy", name); status != 0 {
			return status, refused
		}
		c.policies[service+"/"+name], _ = body["policy"].(object)
		return http.StatusOK, c.policy(service + "/" + name)
	case verb == "addVersion":
		if status, refused := c.change(r.Method+" version", name); status != 0 {
			return status, refused
		}
		body["name"], body["state"], body["clientSpecifiedPayloadChecksum"] = fmt.Sprintf("%s/versions/%d", name, len(c.list(service, name+"/versions"))+1), "ENABLED", true
		c.resources[service+"/"+body["name"].(string)] = body
		return http.StatusOK, body
	case strings.HasSuffix(name, "/runtimes"):
		var out []object
		for _, r := range c.runtimes {
			out = append(out, object{"name": r, "environment": "GEN_2", "stage": "GA"})
		}
		return http.StatusOK, object{"runtimes": out}
	case service == "serviceusage":
		return http.StatusOK, c.services(name)
	case strings.HasSuffix(key, aggregation):
		from := body["structuredAggregationQuery"].(object)["structuredQuery"].(object)["from"].([]any)[0].(object)
		n := c.documents[from["collectionId"].(string)]
		return http.StatusOK, object{"result": object{"aggregateFields": object{"n": object{"integerValue": fmt.Sprint(n)}}}}
	case strings.Contains(name, "/documents/"):
		if found, ok := c.resources[key]; ok {
			return http.StatusOK, found
		}
		return failed(http.StatusNotFound, "NOT_FOUND", "Document %q not found.", name)
	case service == "firebaserules":
		return c.liveRules(name)
	case strings.Contains(name, "/operations/"):
		return http.StatusOK, operation
	case r.Method == http.MethodGet && collections[path.Base(name)] != "":
		return http.StatusOK, object{collections[path.Base(name)]: c.list(service, name)}
	case r.Method == http.MethodGet:
		if found, ok := c.resources[key]; ok {
			return http.StatusOK, found
		}
		return failed(http.StatusNotFound, "NOT_FOUND", "Resource '%s' was not found", name)
	}
	if status, refused := c.change(r.Method, name); status != 0 {
		return status, refused
	}
	switch r.Method {
	case http.MethodPost:
		return http.StatusOK, c.create(service, name, r, body)
	case http.MethodPatch, http.MethodPut:
		if inner, ok := body["serviceAccount"].(object); ok {
			body = inner
		}
		if config, ok := body["serviceConfig"].(object); ok {
			old := c.resources[key]["serviceConfig"].(object)
			config["uri"], config["service"] = old["uri"], old["service"]
		}
		maps.Copy(c.resources[key], body)
		return http.StatusOK, c.done(service, c.resources[key])
	case http.MethodDelete:
		delete(c.resources, key)
		return http.StatusOK, c.done(service, object{})
	}
	return failed(http.StatusMethodNotAllowed, "UNIMPLEMENTED", "%s", r.Method)
}

// change notes a change, unless it is refused.
func (c *cloud) change(method, name string) (int, object) {
	if c.refuse != nil {
		if message := c.refuse(method, name); message != "" {
			return failed(http.StatusBadRequest, "INVALID_ARGUMENT", "%s", message)
		}
	}
	c.changed = append(c.changed, method+" "+name)
	return 0, nil
}

// create makes a resource with the name that its service would give it.
func (c *cloud) create(service, collection string, r *http.Request, body object) object {
	id := ""
	switch path.Base(collection) {
	case "functions":
		id = r.URL.Query().Get("functionId")
		body["state"], body["environment"] = "ACTIVE", "GEN_2"
		body["serviceConfig"].(object)["uri"] = "https://" + id + "-abc-uc.a.run.app"
		body["serviceConfig"].(object)["service"] = strings.Replace(collection, "functions", "services", 1) + "/" + id
		c.resources["run/"+strings.Replace(collection, "functions", "services", 1)+"/"+id] = object{}
	case "serviceAccounts":
		id = body["accountId"].(string) + "@p.iam.gserviceaccount.com"
		body, _ = body["serviceAccount"].(object)
		body["email"] = id
	case "jobs":
		id = path.Base(body["name"].(string))
	case "metrics":
		id = body["name"].(string)
	case "secrets":
		id = r.URL.Query().Get("secretId")
	case "roles":
		id = body["roleId"].(string)
		body, _ = body["role"].(object)
	default:
		c.next++
		id = fmt.Sprint(c.next)
	}
	if name, _ := body["name"].(string); service != "logging" || name == "" {
		body["name"] = collection + "/" + id
	}
	c.resources[service+"/"+collection+"/"+id] = body
	return c.done(service, body)
}

// operation is one of Cloud Functions that is done.
var operation = object{
	"name": "projects/p/locations/us-central1/operations/o", "done": true, "response": object{},
	"metadata": object{"@type": "type.googleapis.com/google.cloud.functions.v2.OperationMetadata", "stages": []object{}},
}

// done is the answer to a change: functions answer with an operation.
func (c *cloud) done(service string, resource object) object {
	if service == "cloudfunctions" {
		return operation
	}
	return resource
}

func (c *cloud) list(service, collection string) []object {
	var out []object
	for _, key := range slices.Sorted(maps.Keys(c.resources)) {
		if strings.HasPrefix(key, service+"/"+collection+"/") {
			out = append(out, c.resources[key])
		}
	}
	return out
}

func (c *cloud) policy(of string) object {
	if p := c.policies[of]; p != nil {
		return p
	}
	return object{"etag": "BwXw", "version": 1}
}

func (c *cloud) services(name string) object {
	if path.Base(name) != "services" {
		return object{"name": name, "state": "ENABLED", "config": object{"name": path.Base(name)}}
	}
	var out []object
	for _, api := range c.apis {
		out = append(out, object{"name": "projects/123/services/" + api, "state": "ENABLED", "config": object{"name": api}})
	}
	return object{"services": out}
}

func (c *cloud) liveRules(name string) (int, object) {
	_, release, isRelease := strings.Cut(name, "/releases/")
	switch {
	case isRelease && c.rules[release] == "":
		return failed(http.StatusNotFound, "NOT_FOUND", "no release")
	case isRelease:
		return http.StatusOK, object{"rulesetName": "projects/p/rulesets/" + release}
	default:
		_, release, _ := strings.Cut(name, "/rulesets/")
		return http.StatusOK, object{"source": object{"files": []object{{"name": "firestore.rules", "content": c.rules[release]}}}}
	}
}

// resource is what the cloud has by a service and the end of a name.
func (c *cloud) resource(t *testing.T, service, end string) object {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, found := range c.resources {
		if strings.HasPrefix(key, service+"/") && strings.HasSuffix(key, "/"+end) {
			return found
		}
	}
	t.Fatalf("there is no %s %s", service, end)
	return nil
}

// names are those of all resources of our making, in order, but for secrets and roles, which stay.
func (c *cloud) names() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for key := range c.resources {
		if service, _, _ := strings.Cut(key, "/"); service != "firestore" && service != "cloudresourcemanager" && service != "run" && service != "secretmanager" && !strings.Contains(key, "/roles/") {
			out = append(out, service+" "+path.Base(key))
		}
	}
	slices.Sort(out)
	return out
}

// changes are the requests that have changed something since it was asked last.
func (c *cloud) changes() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed := c.changed
	c.changed = nil
	return changed
}
