package local_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/relationindex"
	"example.com/relationindex/emulator"
	"example.com/relationindex/internal/config"
)

// One file of rules for two copies allows and refuses the same in both, and a block in one is none in the other. The
// matrix of all rules is in web/tests/rules; this is what rendering could break.
func TestRulesForTwoCopies(t *testing.T) {
	blue, err := config.Functions{Prefix: "blue-1_", Posts: "notes"}.Rules(relationindex.FirestoreRules)
	if err != nil {
		t.Fatal(err)
	}
	both, err := config.MergeRules(relationindex.FirestoreRules, blue)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "firestore.rules")
	if err := os.WriteFile(file, both, 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := emulator.Start(t.Context(), emulator.Options{RulesFile: file})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = e.Close()
		_ = os.Remove(e.LogFile())
	})
	const admin = "owner"
	for prefix, posts := range map[string]string{"": "posts", "blue-1_": "blue-1_notes"} {
		c := restClient{t, "http://" + e.FirestoreHost() + "/v1/", "projects/demo-two-rules/databases/(default)/documents"}
		at := func(path string) string { return prefix + path }
		c.want(http.StatusOK, admin, c.create(at("users/alice"), nil))
		c.want(http.StatusOK, admin, c.create(at("users/alice/blocked/"+prefix+"bob"), nil))
		for _, cell := range []struct {
			status int
			as     string
			r      request
		}{
			{http.StatusOK, "carol", c.get(at("users/alice"))},
			{http.StatusForbidden, "", c.get(at("users/alice"))},
			{http.StatusForbidden, "carol", c.get("green_users/alice")}, // no copy's
			{http.StatusForbidden, "carol", c.create(at("users/bob"), nil)},
			{http.StatusOK, "carol", c.create(at("users/carol"), nil)},
			{http.StatusOK, "carol", c.follow(at("users/alice/followers/carol"))},
			{http.StatusForbidden, "dave", c.follow(at("users/alice/followers/carol"))},
			{http.StatusForbidden, prefix + "bob", c.follow(at("users/alice/followers/" + prefix + "bob"))},     // blocked here
			{http.StatusOK, "not" + prefix + "bob", c.follow(at("users/alice/followers/not" + prefix + "bob"))}, // and not here
			{http.StatusForbidden, "carol", c.get(at("users/alice/blocked/" + prefix + "bob"))},
			{http.StatusForbidden, "alice", c.get(at("users/alice/followers_index/00001"))},
			{http.StatusForbidden, "alice", c.get(at("_functions/job"))},
			{http.StatusOK, "alice", c.post(posts+"/p", "alice")},
			{http.StatusForbidden, "alice", c.post(posts+"/q", "carol")},
			{http.StatusOK, "carol", c.feed(at("_relations"), "carol", 20)},
			{http.StatusForbidden, "carol", c.feed(at("_relations"), "alice", 20)},
			{http.StatusForbidden, "carol", c.feed(at("_relations"), "carol", 51)},
		} {
			c.want(cell.status, cell.as, cell.r)
		}
	}
	c := restClient{t, "http://" + e.FirestoreHost() + "/v1/", "projects/demo-two-rules/databases/(default)/documents"}
	c.want(http.StatusOK, "blue-1_bob", c.follow("users/alice/followers/blue-1_bob")) // blocked in the other copy alone
	c.want(http.StatusForbidden, "alice", c.post("blue-1_posts/p", "alice"))          // which calls them notes
}

// restClient speaks to Firestore as an app without an SDK would.
type restClient struct {
	t         *testing.T
	url       string
	documents string
}

type request struct {
	method, path string
	body         any
}

type object = map[string]any

func (c restClient) get(path string) request {
	return request{http.MethodGet, c.documents + "/" + path, nil}
}

// create writes a document that is not there, with a field that has the server's time if its name is given.
func (c restClient) create(path string, fields object, serverTime ...string) request {
	write := object{"update": object{"name": c.documents + "/" + path, "fields": fields}, "currentDocument": object{"exists": false}}
	for _, field := range serverTime {
		write["updateTransforms"] = []object{{"fieldPath": field, "setToServerValue": "REQUEST_TIME"}}
	}
	return request{http.MethodPost, c.documents + ":commit", object{"writes": []object{write}}}
}

func (c restClient) follow(path string) request { return c.create(path, nil, "createdAt") }

func (c restClient) post(path, author string) request {
	return c.create(path, object{"userId": object{"stringValue": author}}, "createdAt")
}

func (c restClient) feed(collection, reader string, limit int) request {
	return request{http.MethodPost, c.documents + ":runQuery", object{"structuredQuery": object{
		"from":    []object{{"collectionId": collection}},
		"where":   object{"fieldFilter": object{"field": object{"fieldPath": "followers"}, "op": "ARRAY_CONTAINS", "value": object{"stringValue": reader}}},
		"orderBy": []object{{"field": object{"fieldPath": "createdAt"}, "direction": "DESCENDING"}},
		"limit":   limit,
	}}}
}

// want sends a request as an account, as nobody (""), or past the rules (owner), and checks the status of the answer.
func (c restClient) want(status int, as string, r request) {
	c.t.Helper()
	body, err := json.Marshal(r.body)
	if err != nil {
		c.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(c.t.Context(), r.method, c.url+r.path, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	switch as {
	case "":
	case "owner":
		req.Header.Set("Authorization", "Bearer owner")
	default:
		req.Header.Set("Authorization", "Bearer "+tokenOf(as))
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer bytes.Buffer
	if _, err := answer.ReadFrom(resp.Body); err != nil {
		c.t.Fatal(err)
	}
	if resp.StatusCode != status {
		c.t.Errorf("%s %s %s as %q: %s, want %d: %.300s", r.method, r.path, body, as, resp.Status, status, &answer)
	}
}

// tokenOf is an ID token that nobody has signed, as the emulator takes them.
func tokenOf(uid string) string {
	now := time.Now().Unix()
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	return part(`{"alg":"none","type":"JWT"}`) + "." + part(fmt.Sprintf(
		`{"iss":"https://securetoken.google.com/demo-two-rules","aud":"demo-two-rules","iat":%d,"exp":%d,"auth_time":%d,"sub":%q,"user_id":%q,"firebase":{"sign_in_provider":"custom","identities":{}}}`,
		now, now+3600, now, uid, uid)) + "."
}
