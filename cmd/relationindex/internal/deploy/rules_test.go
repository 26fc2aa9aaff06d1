package deploy_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	module "example.com/relationindex"
	"example.com/relationindex/cmd/relationindex/internal/deploy"
	"example.com/relationindex/internal/rulestext"
)

const locked = "rules_version = '2';\nservice cloud.firestore {\n  match /databases/{database}/documents {\n    match /{document=**} {\n      allow read, write: if false;\n    }\n  }\n}\n"

// appRules are rules of an app, with a block of ours after its own.
func appRules(block string) string {
	return "rules_version = '2';\nservice cloud.firestore {\n  match /databases/{database}/documents {\n    match /orders/{order} { allow read: if request.auth != null; }\n" + block + "\n  }\n}\n"
}

// What is uploaded has no comments but the marks, half of the bytes, and every line of code.
func TestUploadedRulesHaveNoComments(t *testing.T) {
	t.Parallel()
	for name, rules := range map[string][]byte{"standard": module.FirestoreRules, "feed-only": module.FirestoreFeedOnlyRules} {
		up := deploy.Uploaded(rules)
		if diff := cmp.Diff(deploy.Bare(string(rules)), deploy.Bare(string(up))); diff != "" {
			t.Errorf("%s: other code:\n%s", name, diff)
		}
		if len(up) > 23_000 || bytes.Count(up, []byte("\n    // relationindex ")) != 2 || bytes.Count(up, []byte("//")) > 4 {
			t.Errorf("%s: %d bytes, %d comments", name, len(up), bytes.Count(up, []byte("//")))
		}
	}
	if got := string(deploy.Uploaded([]byte("a // stays\n\n  // goes\n'//'\n"))); got != "a // stays\n'//'\n" {
		t.Errorf("it makes %q", got)
	}
}

func TestRulesThatHaveOurs(t *testing.T) {
	t.Parallel()
	block := deploy.Block(module.FirestoreRules)
	feedOnly := deploy.Block(module.FirestoreFeedOnlyRules)
	paced, err := rulestext.Paced(module.FirestoreRules)
	if err != nil || len(block) < 15_000 {
		t.Fatal(len(block), err)
	}
	for name, tt := range map[string]struct {
		live  string
		want  bool
		lacks string
	}{
		"ours as they are":       {string(module.FirestoreRules), true, ""},
		"ours as uploaded":       {string(deploy.Uploaded(module.FirestoreRules)), true, ""},
		"an app's with ours":     {appRules(block), true, ""},
		"with other blanks":      {appRules(strings.ReplaceAll(block, "\n", "\r\n\t")), true, ""},
		"an app's without":       {appRules(""), false, "function signedIn() {"},
		"in a match of an app's": {appRules("match /tenants/{t} {" + block + "}"), false, "not directly in match"},
		"in another database's":  {strings.Replace(appRules(block), "{database}", "other", 1), false, "not directly in match"},
		"ours in a comment":      {appRules("/*" + strings.ReplaceAll(block, "*/", "") + "*/"), false, "and "},
		"one condition less":     {appRules(strings.Replace(block, "return signedIn() && request.auth.uid == uid;", "return true;", 1)), false, "return signedIn() && request.auth.uid == uid;"},
		"a pace":                 {string(paced), false, "return false;"},
		"feed-only ones":         {appRules(feedOnly), false, "request.auth.uid in resource.data.followers"},
		"with another between":   {appRules(strings.Replace(block, "function isUser(", "function mine() { return true; }\n function isUser(", 1)), false, "in another order, with others between them, or"},
		"none":                   {"", false, ""},
		"locked":                 {locked, false, ""},
	} {
		if got := deploy.HasRules(tt.live, module.FirestoreRules); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
		if says := deploy.Lacks(tt.live, module.FirestoreRules); !tt.want && !strings.Contains(says, tt.lacks) || strings.Count(says, "\n") > 21 {
			t.Errorf("%s: it says %s", name, says)
		}
	}
	if everything := appRules(block + "match /{document=**} { allow read, write; }"); deploy.Beside(everything, module.FirestoreRules) == "" || !deploy.HasRules(everything, module.FirestoreRules) {
		t.Error("nobody is told of a match of everything")
	}
	if note := deploy.Beside(appRules(block+"match /{document=**} { allow read, write: if false; }"), module.FirestoreRules); note != "" {
		t.Errorf("of one that allows nothing it says %s", note)
	}
	for name, rules := range map[string]string{"none": "", "locked": locked, "locked, of version 1": strings.TrimPrefix(locked, "rules_version = '2';\n"), "with a comment": "// no\n" + locked} {
		if !deploy.IsLocked(rules) {
			t.Errorf("%s let somebody in", name)
		}
	}
	if deploy.IsLocked(strings.Replace(locked, "false", "true", 1)) || deploy.IsLocked(appRules("")) {
		t.Error("open rules are locked")
	}
}

// A database has ours, or nothing of an app, or lacks some.
func TestIndexes(t *testing.T) {
	t.Parallel()
	ours := string(module.FirestoreIndexes)
	const relations = `{ "collectionGroup": "_relations", "fieldPath": "followers", "indexes": [] }`
	if !strings.Contains(ours, relations) || !strings.Contains(ours, `"ttl": true`) {
		t.Fatal("our file has changed: change this test")
	}
	const orders = `{ "collectionGroup": "orders", "queryScope": "COLLECTION", "fields": [{ "fieldPath": "status", "order": "ASCENDING" }, { "fieldPath": "at", "order": "DESCENDING" }, { "fieldPath": "__name__", "order": "DESCENDING" }], "density": "SPARSE_ALL" },`
	const vector = `{ "collectionGroup": "orders", "queryScope": "COLLECTION", "fields": [{ "fieldPath": "v", "vectorConfig": { "dimension": 3, "flat": {} } }] },`
	add := func(entry string) string { return strings.Replace(ours, `"indexes": [`, `"indexes": [`+entry, 1) }
	const nothing = `{"indexes": [], "fieldOverrides": []}`
	for name, tt := range map[string]struct {
		live string
		want string // what deploy does: keep, write, or what it says is missing
	}{
		"ours":                                {ours, "keep"},
		"none":                                {nothing, "write"},
		"with a message before":               {"i  reading\n" + nothing, "write"},
		"without time-to-live, restored":      {strings.ReplaceAll(ours, `, "ttl": true`, ""), "write"},
		"an app that keeps what ours deletes": {`{"fieldOverrides": [{ "collectionGroup": "notifications", "fieldPath": "expireAt", "indexes": [] }]}`, "deletes every document of it"},
		"half of ours":                        {strings.Replace(ours, relations+",", "", 1), "write"},
		"ours and an app's":                   {add(orders), "keep"},
		"ours and a vector index":             {add(vector), "keep"},
		"an app's alone":                      {`{"indexes": [` + strings.TrimSuffix(orders, ",") + `], "fieldOverrides": []}`, `{"collectionGroup":"_relations","fieldPath":"followers","indexes":[]}`},
		"a vector index alone":                {`{"indexes": [` + strings.TrimSuffix(vector, ",") + `]}`, "_relations (followers CONTAINS, createdAt DESCENDING)"},
		"an app's, and ours but for one":      {strings.Replace(add(orders), relations+",", "", 1), `{"collectionGroup":"_relations","fieldPath":"followers","indexes":[]}`},
		"an app's time-to-live":               {`{"fieldOverrides": [{ "collectionGroup": "orders", "fieldPath": "until", "ttl": true, "indexes": [] }]}`, `"ttl":true`},
	} {
		does, err := deploy.JudgeIndexes(options(), tt.live)
		if says := fmt.Sprint(err) + deploy.FixOf(err); does != tt.want && (err == nil || does == "write" || !strings.Contains(says, tt.want)) {
			t.Errorf("%s: %q, %v, want %s", name, does, err, tt.want)
		}
	}
}
