package coexist_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	module "example.com/relationindex"
	"example.com/relationindex/cmd/relationindex/internal/deploy/coexist"
)

const theirs = `rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    function isMe(uid) { return request.auth.uid == uid && !uid.matches('^}{$'); }
    // match /comment/{c} { allow read; }
    match /users/{uid} {
      allow read: if isMe(uid);
      match /orders/{order=**} { allow read, write: if isMe(uid); }
    }
    match /shop/{id}/stock/{item}{ allow read; }
  }
}
`

func TestBlocks(t *testing.T) {
	t.Parallel()
	got := coexist.Blocks(theirs)
	want := []string{"/shop/{}/stock/{}", "/users/{}", "/users/{}/orders/{**}"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	if got["/users/{}"] != "allowread:ifisMe(uid);" {
		t.Errorf("users has %q", got["/users/{}"])
	}
	ours := slices.Collect(maps.Keys(coexist.Blocks(string(module.FirestoreRules))))
	for _, path := range []string{"/users/{}", "/users/{}/followers/{}", "/posts/{}", "/posts/{}/comments/{}", "/_relations/{}", "/_tombstones/{}"} {
		if !slices.Contains(ours, path) {
			t.Errorf("ours have no %s: %v", path, ours)
		}
	}
	if got := coexist.Blocks(strings.Repeat("match /a/{b} {", 1000) + "}}}"); len(got) != 299 {
		t.Errorf("of rules that do not compile it finds %d blocks", len(got))
	}
}

func TestBetween(t *testing.T) {
	t.Parallel()
	after := strings.NewReplacer("{item}", "{x}", "allow read: if isMe", "allow get: if isMe", "orders", "baskets").Replace(theirs)
	want := coexist.Changes{Gone: []string{"/users/{}/orders/{**}"}, Added: []string{"/users/{}/baskets/{**}"}, Changed: []string{"/users/{}"}}
	if diff := cmp.Diff(want, coexist.Between(theirs, after)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDiffIsBounded(t *testing.T) {
	t.Parallel()
	text := coexist.Diff("a", "b", theirs, strings.Replace(theirs, "{item}{ allow read;", "{item}{ allow get;", 1))
	if !strings.Contains(text, "\n-    match /shop/{id}/stock/{item}{ allow read; }\n+    match /shop/{id}/stock/{item}{ allow get; }\n") || !strings.HasPrefix(text, "--- a\n+++ b\n@@ ") {
		t.Errorf("it says %s", text)
	}
	text = coexist.Diff("a", "b", strings.Repeat("x\n", 5000), strings.Repeat("é", 5000))
	if lines := strings.Split(text, "\n"); len(lines) != 301 || lines[300] != "… 4705 more lines of the diff" || len(text) > 300*170 {
		t.Errorf("%d lines of %d bytes, the last %q", len(lines), len(text), lines[len(lines)-1])
	}
	// The diff shows removed lines, even among many added ones.
	text = coexist.Diff("a", "b", "head\nmine\n", "head\n"+strings.Repeat("ours\n", 5000))
	if !strings.Contains(text, "-mine\n") || !strings.Contains(text, "+… 4990 more lines") || strings.Count(text, "\n") > 20 {
		t.Errorf("it says %s", text)
	}
}
