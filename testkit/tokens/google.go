// Package tokens stands in, at the wire, for the addresses of Google that token verification calls.
// Tests and benchmarks run the production code path: real tokens, signed with RS256, and everything
// between a request and the network. A process that uses it sends nothing beyond this machine.
//
// Real accounts are tested with the Auth emulator, which checks no signatures. Real signatures are
// tested here.
package tokens

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Google is the stand-in. It is safe for concurrent use.
type Google struct {
	keys, strangers *signer // strangers: its certificate is not served

	lookups atomic.Int64
	down    atomic.Bool

	mu       sync.Mutex
	accounts map[string]account // by uid; an account that is missing is valid
}

type account struct {
	disabled, deleted bool
	validSince        time.Time
}

// Start redirects TLS connections to the stand-in: those of http.DefaultTransport, and of every
// transport cloned from it later. It also sets the default credentials of Google's libraries, kept in
// dir. Call it once, before anything else uses the network, as in TestMain.
func Start(dir string) (*Google, error) {
	g := &Google{accounts: map[string]account{}}
	var err error
	if g.keys, err = newSigner("the-key"); err != nil {
		return nil, err
	}
	if g.strangers, err = newSigner("the-key"); err != nil {
		return nil, err
	}
	server := httptest.NewServer(g.routes())
	http.DefaultTransport.(*http.Transport).DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}
	credentials := filepath.Join(dir, "credentials.json")
	text := `{"type": "authorized_user", "client_id": "test", "client_secret": "test", "refresh_token": "test"}`
	if err := os.WriteFile(credentials, []byte(text), 0o600); err != nil {
		return nil, err
	}
	return g, os.Setenv("GOOGLE_APPLICATION_CREDENTIALS", credentials)
}

func (g *Google) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST oauth2.googleapis.com/token", func(w http.ResponseWriter, _ *http.Request) {
		write(w, map[string]any{"access_token": "test", "token_type": "Bearer", "expires_in": 3600})
	})
	mux.HandleFunc("GET www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=21600")
		write(w, map[string]any{g.keys.kid: g.keys.certificate})
	})
	mux.HandleFunc("GET firebaseappcheck.googleapis.com/v1beta/jwks", func(w http.ResponseWriter, _ *http.Request) {
		write(w, map[string]any{"keys": []any{g.keys.jwk()}})
	})
	mux.HandleFunc("POST identitytoolkit.googleapis.com/v1/projects/{project}/accounts:lookup", g.lookup)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "not in a test: "+r.Host+r.URL.Path, http.StatusNotImplemented)
	})
	return mux
}

// lookup answers with the state of an account.
func (g *Google) lookup(w http.ResponseWriter, r *http.Request) {
	g.lookups.Add(1)
	var asked struct {
		LocalID []string `json:"localId"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked.LocalID) != 1 {
		http.Error(w, fmt.Sprintf("lookup of %q: %v", asked.LocalID, err), http.StatusBadRequest)
		return
	}
	if g.down.Load() {
		http.Error(w, `{"error": {"code": 500, "message": "INTERNAL"}}`, http.StatusInternalServerError)
		return
	}
	g.mu.Lock()
	a := g.accounts[asked.LocalID[0]]
	g.mu.Unlock()
	if a.deleted {
		write(w, map[string]any{"kind": "identitytoolkit#GetAccountInfoResponse"})
		return
	}
	write(w, map[string]any{"users": []any{map[string]any{
		"localId": asked.LocalID[0], "disabled": a.disabled, "validSince": fmt.Sprint(max(0, a.validSince.Unix())),
	}}})
}

// Lookups returns the number of accounts looked up.
func (g *Google) Lookups() int { return int(g.lookups.Load()) }

// SetDown makes lookups fail; with false, they work again.
func (g *Google) SetDown(down bool) { g.down.Store(down) }

// Disable makes lookups report an account as disabled.
func (g *Google) Disable(uid string) { g.change(uid, func(a *account) { a.disabled = true }) }

// Enable makes lookups report an account as valid again, whatever it was.
func (g *Google) Enable(uid string) { g.change(uid, func(a *account) { *a = account{} }) }

// Delete makes lookups report an account as missing.
func (g *Google) Delete(uid string) { g.change(uid, func(a *account) { a.deleted = true }) }

// Revoke makes lookups report that tokens issued before a time are invalid.
func (g *Google) Revoke(uid string, before time.Time) {
	g.change(uid, func(a *account) { a.validSince = before })
}

func (g *Google) change(uid string, change func(*account)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	a := g.accounts[uid]
	change(&a)
	g.accounts[uid] = a
}

func write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // fails only if the client is gone
}
