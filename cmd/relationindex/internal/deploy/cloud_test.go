//go:build long

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

	"example.com/relationindex/cmd/relationindex/internal/deploy"
)

const accessToken = "ya29.a-test" //nolint:gosec // of the test

// object is a resource of an API.
type object = map[string]any

// cloud answers the REST calls of gcloud as Google does, as far as a deployment
// goes: resources that are created, listed, changed and deleted, and policies.
// It is state, and no rules: what Google refuses for other reasons it takes.
type cloud struct {
	*httptest.Server

	mu sync.Mutex
	state
	apis      []string
	runtimes  []string
	documents map[string]int // how many a collection has
	changed   []string       // the requests that changed something
	// refuse is asked before each change; an answer is the message of a 400.
	refuse    func(method, resource string) string
	quota     int      // of CPU of Cloud Run in a region, in thousandths
	schedules []string // where Cloud Scheduler is
	// asked is what gcloud has asked since listen; touched: one of that was a change.
	asked   []exchange
	touched bool
}

// state is what a cloud has.
type state struct {
	resources map[string]object // by service and name: "iam/projects/p/serviceAccounts/x"
	policies  map[string]object
	rules     map[string]string // live, by release
	next      int
}

// copied is a state of its own with the same in it.
func (s state) copied() state {
	return state{resources: copied(s.resources), policies: copied(s.policies), rules: maps.Clone(s.rules), next: s.next}
}

func copied(all map[string]object) (out map[string]object) {
	text, err := json.Marshal(all)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		panic(err) // it came as JSON
	}
	return out
}

// exchange is a request, and its answer.
type exchange struct {
	method, address, body string
	status                int
	answer                string
}

func newCloud() *cloud {
	c := &cloud{
		state: state{policies: map[string]object{}, rules: map[string]string{}, resources: map[string]object{
			"cloudresourcemanager/projects/p":                {"projectId": "p", "projectNumber": "123", "lifecycleState": "ACTIVE"},
			"firestore/projects/p/databases/(default)":       {"name": "projects/p/databases/(default)", "type": "FIRESTORE_NATIVE", "locationId": "nam5"},
			"firestore/projects/p/databases/(default)/index": {},
			"firestore/projects/p/databases/blue":            {"name": "projects/p/databases/blue", "type": "FIRESTORE_NATIVE", "locationId": "nam5"},
		}},
		quota: 20_000, schedules: []string{"us-central1"}, apis: deploy.APIs, runtimes: []string{"go125", "go126"},
	}
	c.Server = httptest.NewServer(http.HandlerFunc(c.serve))
	return c
}

// collections are the collections that are asked for, with the field that a list has them in.
var collections = map[string]string{
	"serviceAccounts": "accounts", "functions": "functions", "jobs": "jobs", "metrics": "metrics",
	"repositories": "repositories", "alertPolicies": "alertPolicies", "dashboards": "dashboards", "indexes": "indexes", "fields": "fields", "secrets": "secrets", "versions": "versions",
	"roles": "roles",
}

var version = regexp.MustCompile(`^v\d+[a-z0-9]*/`)

// ofGcloud begins the paths of gcloud's requests: the program itself asks too.
const ofGcloud = "/gcloud"

func (c *cloud) serve(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	address, gcloud := strings.CutPrefix(r.URL.String(), ofGcloud)
	status, answer := c.respond(r.Method, address, string(body))
	if gcloud {
		c.asked = append(c.asked, exchange{r.Method, address, string(body), status, answer})
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, answer)
}

// respond answers a request. The answer depends on the request and the cloud alone.
func (c *cloud) respond(method, address, text string) (int, string) {
	at, err := url.Parse(address)
	if err != nil {
		return http.StatusBadRequest, err.Error()
	}
	service, rest, _ := strings.Cut(strings.TrimPrefix(at.Path, "/"), "/")
	name, _ := url.PathUnescape(version.ReplaceAllString(rest, "")) // of names with a slash in them
	name = strings.NewReplacer("projects/-/", "projects/p/", "locations/-/", "locations/us-central1/", "collectionGroups/-/", "collectionGroups/_relations/").Replace(name)
	body := object{}
	if len(text) > 0 && service != "upload" {
		if err := json.Unmarshal([]byte(text), &body); err != nil {
			return http.StatusBadRequest, err.Error()
		}
	}
	status, answer := c.answer(method, at.Query(), service, name, body)
	var sent any = answer
	switch {
	case status >= 400:
		sent = object{"error": object{"code": status, "message": answer["message"], "status": answer["status"]}}
	}
	out, _ := json.Marshal(sent)
	return status, string(out)
}

// listen forgets what gcloud has asked.
func (c *cloud) listen() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked, c.touched = nil, false
}

// heard is what gcloud has asked since listen, and whether it has changed something, or would have.
func (c *cloud) heard() ([]exchange, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked, c.touched
}

// still reports whether the cloud would answer questions as it did.
func (c *cloud) still(asked []exchange) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !slices.ContainsFunc(asked, func(e exchange) bool {
		status, answer := c.respond(e.method, e.address, e.body)
		return status != e.status || answer != e.answer
	})
}

func failed(status int, code, format string, args ...any) (int, object) {
	return status, object{"status": code, "message": fmt.Sprintf(format, args...)}
}

func (c *cloud) answer(method string, query url.Values, service, name string, body object) (int, object) {
	key := service + "/" + name
	name, verb, _ := strings.Cut(name, ":")
	switch {
	case service == "upload", verb == "generateUploadUrl":
		return http.StatusOK, object{"uploadUrl": c.URL + "/upload/x", "storageSource": object{"bucket": "b", "object": "o"}}
	case strings.Contains(name, "/namespaces/"):
		return c.knative(method, path.Base(name), body)
	case strings.HasSuffix(key, "/consumerQuotaMetrics"):
		limits := []object{{"quotaBuckets": []object{{"effectiveLimit": "100000"}, {"effectiveLimit": fmt.Sprint(c.quota), "dimensions": object{"region": "us-central1"}}, {"effectiveLimit": "50000", "dimensions": object{"region": "us-east1"}}}}}
		return http.StatusOK, object{"metrics": []object{{"metric": "run.googleapis.com/other", "consumerQuotaLimits": []object{{"quotaBuckets": []object{{"effectiveLimit": "7"}}}}}, {"metric": "run.googleapis.com/cpu_allocation", "consumerQuotaLimits": limits}}}
	case verb == "generateServiceIdentity":
		if status, refused := c.change(method, name); status != 0 {
			return status, refused
		}
		agent := map[string]string{"pubsub.googleapis.com": "service-123@gcp-sa-pubsub", "cloudfunctions.googleapis.com": "service-123@gcf-admin-robot"}[path.Base(name)]
		p := c.policy("cloudresourcemanager/projects/p")
		bindings, _ := p["bindings"].([]any)
		p["bindings"] = append(bindings, object{"role": "roles/" + path.Base(name) + ".serviceAgent", "members": []any{"serviceAccount:" + agent + ".iam.gserviceaccount.com"}})
		c.policies["cloudresourcemanager/projects/p"] = p
		return http.StatusOK, object{"name": "operations/x", "done": true, "response": object{"email": "service-123@gcp-sa-pubsub.iam.gserviceaccount.com"}}
	case service == "cloudscheduler" && path.Base(name) == "locations":
		var all []object
		for _, id := range c.schedules {
			all = append(all, object{"name": name + "/" + id, "locationId": id})
		}
		return http.StatusOK, object{"locations": all}
	case service == "secretmanager" && verb == "getIamPolicy" && c.resources[service+"/"+name] == nil:
		return failed(http.StatusNotFound, "NOT_FOUND", "Secret [%s] not found.", name)
	case verb == "getIamPolicy":
		return http.StatusOK, c.policy(service + "/" + name)
	case verb == "setIamPolicy":
		if status, refused := c.change(method+" policy", name); status != 0 {
			return status, refused
		}
		c.policies[service+"/"+name], _ = body["policy"].(object)
		return http.StatusOK, c.policy(service + "/" + name)
	case verb == "addVersion":
		if status, refused := c.change(method+" version", name); status != 0 {
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
	case strings.HasSuffix(name, "/documents/users"), strings.HasSuffix(name, "/documents/posts"):
		return http.StatusOK, object{"documents": make([]object, c.documents[path.Base(name)])}
	case strings.Contains(name, "/documents/"):
		if found, ok := c.resources[key]; ok {
			return http.StatusOK, found
		}
		return failed(http.StatusNotFound, "NOT_FOUND", "Document %q not found.", name)
	case service == "firebaserules":
		return c.liveRules(name)
	case strings.Contains(name, "/operations/"):
		return http.StatusOK, operation
	case method == http.MethodGet && collections[path.Base(name)] != "":
		return http.StatusOK, object{collections[path.Base(name)]: c.list(service, name)}
	case method == http.MethodGet:
		if found, ok := c.resources[key]; ok {
			return http.StatusOK, found
		}
		return failed(http.StatusNotFound, "NOT_FOUND", "Resource '%s' was not found", name)
	}
	if status, refused := c.change(method, name); status != 0 {
		return status, refused
	}
	switch method {
	case http.MethodPost:
		return http.StatusOK, c.create(service, name, query, body)
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
	return failed(http.StatusMethodNotAllowed, "UNIMPLEMENTED", "%s", method)
}

// change notes a change, unless it is refused.
func (c *cloud) change(method, name string) (int, object) {
	c.touched = true
	if c.refuse != nil {
		if message := c.refuse(method, name); message != "" {
			return failed(http.StatusBadRequest, "INVALID_ARGUMENT", "%s", message)
		}
	}
	c.changed = append(c.changed, method+" "+name)
	return 0, nil
}

// create makes a resource with the name that its service would give it.
func (c *cloud) create(service, collection string, query url.Values, body object) object {
	id := ""
	switch path.Base(collection) {
	case "functions":
		id = query.Get("functionId")
		body["state"], body["environment"] = "ACTIVE", "GEN_2"
		body["serviceConfig"].(object)["uri"] = "https://" + id + "-abc-uc.a.run.app"
		body["serviceConfig"].(object)["service"] = strings.Replace(collection, "functions", "services", 1) + "/" + id
		c.resources[runServices+id] = object{
			"apiVersion": "serving.knative.dev/v1", "kind": "Service", "metadata": object{"name": id, "namespace": "p", "annotations": object{}, "labels": object{}},
			"spec":   object{"template": object{"metadata": object{"annotations": object{}}, "spec": object{"containers": []any{object{"image": "i"}}}}},
			"status": object{"conditions": []any{object{"type": "Ready", "status": "True"}}},
		}
	case "serviceAccounts":
		id = body["accountId"].(string) + "@p.iam.gserviceaccount.com"
		body, _ = body["serviceAccount"].(object)
		body["email"] = id
	case "jobs":
		id = path.Base(body["name"].(string))
	case "metrics":
		id = body["name"].(string)
	case "secrets":
		id = query.Get("secretId")
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

// runServices begins the names of the Cloud Run services of functions.
const runServices = "run/projects/p/locations/us-central1/services/"

// knative answers what gcloud asks of Cloud Run services, but for their policies.
func (c *cloud) knative(method, id string, body object) (int, object) {
	switch {
	case id == "services":
		return http.StatusOK, object{"kind": "ServiceList", "items": c.list("run", "projects/p/locations/us-central1/services")}
	case c.resources[runServices+id] == nil:
		return failed(http.StatusNotFound, "NOT_FOUND", "Resource '%s' was not found", id)
	case method != http.MethodGet:
		if status, refused := c.change(method, id); status != 0 {
			return status, refused
		}
		body["status"] = c.resources[runServices+id]["status"]
		c.resources[runServices+id] = body
	}
	return http.StatusOK, c.resources[runServices+id]
}

// open are the services that anybody may call, by their annotation.
func (c *cloud) open() (names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, service := range c.resources {
		if strings.HasPrefix(key, "run/") && strings.Contains(fmt.Sprint(service["metadata"]), "invoker-iam-disabled:True") {
			names = append(names, path.Base(key))
		}
	}
	return names
}
