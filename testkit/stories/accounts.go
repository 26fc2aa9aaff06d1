package stories

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/emulator/auth"
	"example.com/relationindex/schema"
)

// RunAccounts runs the story of people with accounts. A person signs up, follows and reads; once their
// account is disabled or deleted, they are rejected. Accounts and tokens are the Auth emulator's.
// RunAccounts is apart from Run because a machine in the test's process finds that emulator by the
// environment. So the test cannot be parallel.
func RunAccounts(t *testing.T, m Machine) {
	a := Open(t, m)
	e, err := auth.Start(t.Context(), auth.Options{Project: a.ID})
	if err != nil {
		t.Fatal("these tests need the Auth emulator: ", err)
	}
	a.Start(schema.Config{NoOwnPosts: true, AuthEmulatorHost: e.Host()})
	people := authAccounts{t, "http://" + e.Host() + "/identitytoolkit.googleapis.com/v1/", a.ID}

	bob, token := people.signUp("bob@example.com")
	a.Follow(bob, "ada")
	a.Post("p1", "ada", Day)
	a.Settle()
	if status, body := a.Call(http.MethodGet, "Feed", "Authorization", "Bearer "+token); status != http.StatusOK || !strings.Contains(body, `"id":"p1"`) {
		t.Fatalf("got %d %s", status, body)
	}
	if status, _ := a.Call(http.MethodGet, "Feed"); status != http.StatusUnauthorized {
		t.Errorf("without a token: %d", status)
	}

	refused := func(what, token string) {
		t.Helper()
		status, body := a.Call(http.MethodGet, "Feed", "Authorization", "Bearer "+token)
		if status != http.StatusUnauthorized || !strings.Contains(body, `"code":"unauthenticated"`) {
			t.Errorf("%s is answered %d %s, want 401", what, status, body)
		}
	}
	disabled, token := people.signUp("disabled@example.com")
	people.admin("accounts:update", map[string]any{"localId": disabled, "disableUser": true})
	refused("a disabled user's token", token)

	deleted, token := people.signUp("deleted@example.com")
	people.admin("accounts:delete", map[string]any{"localId": deleted})
	refused("a deleted user's token", token)

	revoked, token := people.signUp("revoked@example.com")
	people.admin("accounts:update", map[string]any{"localId": revoked, "validSince": fmt.Sprint(time.Now().Add(time.Minute).Unix())})
	refused("a revoked token", token)
}

// authAccounts has the accounts of an Auth emulator.
type authAccounts struct {
	t       *testing.T
	url     string
	project string
}

func (a authAccounts) signUp(email string) (uid, token string) {
	a.t.Helper()
	var answer struct{ LocalID, IDToken string }
	a.post(a.url+"accounts:signUp?key=any", "", map[string]any{"email": email, "password": "secret-1", "returnSecureToken": true}, &answer)
	return answer.LocalID, answer.IDToken
}

// admin makes a request with a server's rights.
func (a authAccounts) admin(method string, body map[string]any) {
	a.t.Helper()
	a.post(a.url+"projects/"+a.project+"/"+method, "owner", body, new(map[string]any))
}

func (a authAccounts) post(url, token string, body, answer any) {
	a.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		a.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(answer); err != nil || resp.StatusCode != http.StatusOK {
		a.t.Fatalf("%s: %s, %v: %v", url, resp.Status, err, answer)
	}
}
