package chaos

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// collections are all collections of the index and its clients, as collection groups.
var collections = []string{"users", "followers", "followers_index", "following", "blocked", "requests", "posts", "_relations", "_functions", "timeline", "settings", "hidden", "rates", "comments", "likes", "notifications", "_purging"}

// accountID finds ids of accounts and groups in a text: see userID and groupID.
var accountID = regexp.MustCompile(`user-\d{5,}|g_group-\d{5,}`)

// leftovers reports every document that names a deleted account, in its path
// or anywhere in its fields.
func leftovers(ctx context.Context, client *firestore.Client, deleted map[string]bool, report func(format string, args ...any)) error {
	if len(deleted) == 0 {
		return nil
	}
	for _, collection := range collections {
		docs := client.CollectionGroup(collection).Documents(ctx)
		defer docs.Stop()
		for {
			doc, err := docs.Next()
			if errors.Is(err, iterator.Done) {
				break
			}
			if err != nil {
				return fmt.Errorf("scan %s: %w", collection, err)
			}
			named := map[string]bool{}
			name := func(text string) {
				for _, u := range accountID.FindAllString(text, -1) {
					if deleted[u] {
						named[u] = true
					}
				}
			}
			if collection == "_purging" && !schema.IsPurging(doc) {
				continue // the mark of an ended purge stays for a time
			}
			if collection == "blocked" {
				name(doc.Ref.Parent.Parent.Path) // a block of a deleted account stays
			} else if !strings.HasPrefix(doc.Ref.ID, schema.PurgeJobID(schema.GroupPrefix)) { // a group's receipt has its id
				name(doc.Ref.Path)
			}
			data := doc.Data()
			if collection == "posts" || collection == "comments" {
				delete(data, schema.FieldAudience) // posts to a deleted group stay, and so do their comments
				data[schema.FieldThread], _, _ = strings.Cut(fmt.Sprint(data[schema.FieldThread]), "/")
			}
			if collection == "settings" {
				delete(data, "hide") // a reader's patterns may still name a deleted account
				delete(data, "show")
			}
			testkit.Texts(data, name)
			for _, u := range slices.Sorted(maps.Keys(named)) {
				report("%s names %s, whose account is deleted", below(doc.Ref), u)
			}
		}
	}
	return nil
}

// below returns the document's path below the database.
func below(ref *firestore.DocumentRef) string {
	path := ref.ID
	for parent := ref.Parent; parent != nil; parent = parent.Parent.Parent {
		path = parent.ID + "/" + path
		if parent.Parent == nil {
			break
		}
		path = parent.Parent.ID + "/" + path
	}
	return path
}
