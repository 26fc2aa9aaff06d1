package testkit

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// Strange returns ids at and beyond the limits, by a description of each. No id has a slash.
func Strange() map[string]string {
	return map[string]string{
		"the longest id":            strings.Repeat("y", 1500),
		"the longest account":       strings.Repeat("y", 1499),
		"the longest of four bytes": strings.Repeat("\U0001F600", 375),
		"runes of four bytes":       strings.Repeat("\U0001F600", 100),
		"runes above surrogates":    strings.Repeat("\uFFFD", 100),
		"the longest post":          strings.Repeat("z", 700),
		"more than a post":          strings.Repeat("z", 701),
		"a post of backticks":       strings.Repeat("`", 700),
		"a number of Datastore":     "__id5__",
		"a reserved id":             "__x__",
		"underscores":               "____",
		"a dot":                     ".",
		"a lone surrogate":          "a\xed\xa0\x80b",
		"controls":                  "\x1b[2Jx\x00\x7f\r\n\u009b1m",
		"bidi":                      "\u202e\u2066a\u2028b\ufeff",
		"a slash, escaped":          "a%2Fb",
		"a group":                   schema.GroupPrefix + strings.Repeat("g", 1497),
		"too long a group":          schema.GroupPrefix + strings.Repeat("g", 1498),
	}
}

// StrangeDocument is a document with a strange id in its path or fields.
type StrangeDocument struct {
	Path []string // its path segments
	Data map[string]any
}

// StrangeDocuments returns documents in which id stands wherever an id may stand. It is the id of a
// post, comment, author, follower, block, request, or deciding reader. It is hidden by a reader, and
// named by a post or its audience. The other accounts are author, other, r1 and r2. Ids of posts
// include name.
func StrangeDocuments(name, id string, at time.Time) []StrangeDocument {
	now := map[string]any{schema.FieldCreatedAt: at}
	post := func(fields map[string]any) map[string]any {
		all := map[string]any{"userId": "author", "createdAt": at, "hidden": false, "text": "x"}
		for k, v := range fields {
			all[k] = v
		}
		return all
	}
	name = strings.NewReplacer(" ", "-", ",", "").Replace(name)
	documents := []StrangeDocument{
		{[]string{"posts", id}, post(map[string]any{"to": []string{"r2"}})},
		{[]string{"posts", id, "comments", "c1"}, post(nil)},
		{[]string{"posts", "good", "comments", id}, post(nil)},
		{[]string{"users", id}, map[string]any{"name": "x"}},
		{[]string{"users", "author", "followers", id}, now},
		{[]string{"users", id, "followers", "r1"}, now},
		{[]string{"posts", "by-" + name}, post(map[string]any{"userId": id})},
		{[]string{"posts", "to-" + name}, post(map[string]any{"userId": "other", "to": []string{id, "r2"}})},
		{[]string{"posts", "of-" + name}, post(map[string]any{"userId": "other", "refs": []string{id, "r2"}})},
		{[]string{"users", "other", "blocked", id}, now},
		{[]string{"users", id, "blocked", "other"}, now},
		{[]string{"users", "other", "requests", id}, now},
		{[]string{"users", id, "requests", "r1"}, now},
		{[]string{"users", id, "settings", "feed"}, map[string]any{"hide": []string{"author/*"}, "seenAt": at}},
		{[]string{"users", "r1", "settings", id}, map[string]any{"hide": []string{"author/*"}}},
		{[]string{"users", "r1", "hidden", id}, map[string]any{}},
		{[]string{"users", id, "hidden", "good"}, map[string]any{}},
	}
	if schema.IsGroup(id) { // people may not post to another person's followers
		documents = append(documents, StrangeDocument{[]string{"posts", "for-" + name}, post(map[string]any{"audience": id})})
	}
	return documents
}

// Ref returns a reference to the document in client's database.
func (d StrangeDocument) Ref(client *firestore.Client) *firestore.DocumentRef {
	ref := client.Collection(d.Path[0]).Doc(d.Path[1])
	for pair := range slices.Chunk(d.Path[2:], 2) {
		ref = ref.Collection(pair[0]).Doc(pair[1])
	}
	return ref
}

// WriteStrange writes the documents of all strange ids, and returns those that Firestore rejects.
func WriteStrange(tb testing.TB, client *firestore.Client, at time.Time) (refused []StrangeDocument) {
	tb.Helper()
	for name, id := range Strange() {
		for _, d := range StrangeDocuments(name, id, at) {
			if _, err := d.Ref(client).Set(tb.Context(), d.Data); err != nil {
				refused = append(refused, d)
			}
		}
	}
	return refused
}
