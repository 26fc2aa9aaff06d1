//go:build long

package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"example.com/relationindex"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// system is a project with functions. interceptors see what the probes write.
func system(t *testing.T, interceptors ...wire.Interceptor) *live {
	t.Helper()
	id := testkit.ProjectID(t)
	p, err := testkit.Machine(t).Project(t.Context(), id, schema.Config{NoOwnPosts: true}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	client, err := wire.Open(t.Context(), id, testkit.Machine(t).Emulator.FirestoreHost(), interceptors...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Idle(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		for _, collection := range []string{"_relations", "users", "posts"} {
			docs, err := p.Client.Collection(collection).Documents(context.WithoutCancel(t.Context())).GetAll()
			if err != nil || len(docs) > 0 {
				t.Errorf("%d documents are left in %s (%v)", len(docs), collection, err)
			}
		}
	})
	host := testkit.Machine(t).Emulator.FirestoreHost()
	testkit.SetRules(t, host, id, relationindex.FirestoreRules)
	return &live{client: client, cfg: schema.Config{NoOwnPosts: true, EmulatorHost: host}, patience: time.Minute, losing: time.Second, idToken: token("reader"), root: "../../"}
}

// token is what the emulator takes as uid's.
func token(uid string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + encode(fmt.Appendf(nil, `{"sub":%q}`, uid)) + "."
}

func (l *live) asked(t *testing.T, probes string) (string, error) {
	t.Helper()
	wanted, err := choose(probes)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = l.ask(t.Context(), wanted, &out)
	return out.String(), err
}

// The emulator takes everything; the broker loses the two events that are too large.
func TestLiveProbesWithoutLimits(t *testing.T) {
	out, err := system(t).asked(t, "")
	if err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		"with 30000 followers is accepted", "may create 8 relations", "may change 6 relations", "may redate 8 relations", "may delete 6 relations",
		"a post has its relation after", "an edit of a post of 300 KB (600 KB before and after): no event within", "the creation of a post of 600 KB: no event within",
		"under rules", "are decided as on the emulator", "a removed follower's read is answered 403, and 200 as of when they followed",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not print %q:\n%s", want, out)
		}
	}
}

// The guards enforce the strictest limits that production documents: two index entries
// for an element, 10 MiB a transaction.
func TestLiveProbesWithPlannedLimits(t *testing.T) {
	guards, err := local.Guards(false, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := system(t, guards).asked(t, "entries,transaction")
	if err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		"with 10000 followers is accepted", "with 19900 followers is accepted", "with 30000 followers is refused", "more than 40,000",
		"may create 2 relations", "may change 6 relations", "may redate 1 relations", "may delete 3 relations",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not print %q:\n%s", want, out)
		}
	}
}

// A project where nothing is deployed says so.
func TestLiveProbesWithoutFunctions(t *testing.T) {
	l := system(t)
	l.patience = 300 * time.Millisecond
	l.client, _ = wire.Open(t.Context(), "demo-live-nothing", testkit.Machine(t).Emulator.FirestoreHost())
	out, err := l.asked(t, "events")
	if err == nil || !strings.Contains(out, "WRONG: no event of a follow arrives") {
		t.Errorf("it ends with %v:\n%s", err, out)
	}
}
