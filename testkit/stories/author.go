package stories

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// A change of a profile field reaches every post that copies the field, and the relations of these
// posts.
func authorFieldsReachPostsAndRelations(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true,
		Capacity: 2, Chunk: 3, Step: aPage,
		AuthorFields: []string{"displayName=authorName", "photo=authorPhoto"}, CopiedFields: []string{"authorName"},
	})
	const posts = 8
	a.Profile("ada", map[string]any{"displayName": "Ada", "bio": "x"})
	for n := range 3 {
		a.Follow(fmt.Sprintf("fan%d", n), "ada")
	}
	for n := range posts {
		a.Post(fmt.Sprintf("p%d", n), "ada", Day.Add(time.Duration(n)*time.Hour))
	}
	a.Post("other", "bob", Day)
	a.Settle()
	check := func(name, photo any) {
		t.Helper()
		a.Settle()
		for n := range posts {
			doc, err := a.Client.Doc(fmt.Sprintf("posts/p%d", n)).Get(t.Context())
			if err != nil || doc.Data()["authorName"] != name || doc.Data()["authorPhoto"] != photo {
				t.Errorf("post p%d is signed %v, %v (%v), want %v, %v", n, doc.Data()["authorName"], doc.Data()["authorPhoto"], err, name, photo)
			}
			for _, i := range []string{"00001", "00002"} {
				doc, err := a.Client.Doc(fmt.Sprintf("_relations/p%d_%s", n, i)).Get(t.Context())
				if err != nil || doc.Data()["authorName"] != name {
					t.Errorf("relation p%d_%s is signed %v (%v), want %v", n, i, doc.Data()["authorName"], err, name)
				}
			}
		}
		a.WantVerified()
	}
	check("Ada", nil)
	a.Profile("ada", map[string]any{"displayName": "Ada L.", "photo": "a.png"})
	check("Ada L.", "a.png")
	a.Profile("ada", map[string]any{"photo": firestore.Delete})
	check("Ada L.", nil)

	doc, err := a.Client.Doc("posts/other").Get(t.Context())
	if err != nil || slices.Contains(slices.Collect(maps.Keys(doc.Data())), "authorName") {
		t.Errorf("a post of somebody without a profile is signed: %v (%v)", doc.Data(), err)
	}
}
