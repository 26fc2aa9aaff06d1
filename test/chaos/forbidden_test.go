//go:build long

package chaos

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

const openRules = `rules_version = '2';
service cloud.firestore { match /databases/{database}/documents { match /{document=**} { allow read, write; } } }`

// Where rules let everything through, each forbidden write is reported.
func TestForbiddenWritesThatRulesAllowAreReported(t *testing.T) {
	parallel(t)
	system := start(t, Functions())
	client, err := wire.OpenUnderRules(t.Context(), "demo-chaos", system.FirestoreHost())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	post := Op{Kind: CreatePost, Author: userID(0), Post: "post-1", At: day(1), Text: "one"}
	err = errors.Join(createAccounts(t.Context(), system.Client(), 1), apply(t.Context(), system.Client(), post), system.Idle(t.Context()))
	if err != nil {
		t.Fatal(err)
	}

	var found differences
	tried := &forbidden{client: client, report: found.report}
	try := func() {
		for _, w := range forbiddenWrites {
			if err := tried.try(t.Context(), Op{Kind: Forbidden, User: post.Author, Post: post.Post, Text: w.what}); err != nil {
				t.Errorf("%s: %v", w.what, err)
			}
		}
	}
	try()
	if n := tried.refused.Load(); int(n) != len(forbiddenWrites) || found.count > 0 {
		t.Errorf("under our rules %d of %d are refused; reported: %q", n, len(forbiddenWrites), found.shown)
	}
	testkit.SetRules(t, system.FirestoreHost(), "demo-chaos", []byte(openRules))
	try()
	for _, w := range forbiddenWrites {
		if !slices.ContainsFunc(found.shown, func(s string) bool { return strings.HasSuffix(s, w.what+": the rules let it through") }) {
			t.Errorf("%s: let through and not reported; reported: %q", w.what, found.shown)
		}
	}
}
