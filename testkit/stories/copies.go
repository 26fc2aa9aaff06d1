package stories

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

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

// refs returns an update of the ids that a post refers to.
func refs(ids ...string) firestore.Update { return firestore.Update{Path: "refs", Value: ids} }

// A post copies the names of the accounts and groups that it refers to, whether these are written
// before or after it. Renames reach the post and its relations.
func refFieldsReachPosts(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true,
		Chunk: 3, Step: aPage, CopiedFields: []string{"refNames"},
		AuthorFields: []string{"name=authorName"}, RefFields: []string{"name=refNames", "photo=refPhotos"},
	})
	const posts = 8
	a.Profile("ada", map[string]any{"name": "Ada", "photo": "a.png"})
	a.Group("g_team", "ada")
	a.Follow("fan", "bob")
	for n := range posts {
		a.Must(a.Client.Doc(fmt.Sprintf("posts/p%d", n)).Set(t.Context(), map[string]any{
			"userId": "bob", "createdAt": Day.Add(time.Duration(n) * time.Hour), "refs": []string{"ada", "g_team", "topic", "a/b", "bob"},
		}))
	}
	a.Post("own", "ada", Day)
	type names = map[string]any
	check := func(author any, refNames, refPhotos names) {
		t.Helper()
		a.Settle()
		for n := range posts {
			post := a.Data(fmt.Sprintf("posts/p%d", n))
			got := []any{post["authorName"], post["refNames"], post["refPhotos"]}
			if diff := cmp.Diff([]any{author, refNames, refPhotos}, got); diff != "" {
				t.Errorf("p%d: author, refNames, refPhotos (-want +got):\n%s", n, diff)
			}
			if got := a.Data(fmt.Sprintf("_relations/p%d_00001", n))["refNames"]; !cmp.Equal(got, any(refNames)) {
				t.Errorf("the relation of p%d has %v", n, got)
			}
		}
		a.WantVerified()
	}
	check(nil, names{"ada": "Ada", "g_team": "Group g_team"}, names{"ada": "a.png"})
	a.Profile("ada", names{"name": "Ada L.", "photo": firestore.Delete})
	check(nil, names{"ada": "Ada L.", "g_team": "Group g_team"}, names{})
	if got := a.Data("posts/own")["authorName"]; got != "Ada L." {
		t.Errorf("ada's own post is signed %v", got)
	}
	a.Profile("g_team", names{"name": "Team"})
	a.Profile("topic", names{"name": "Topic"})
	check(nil, names{"ada": "Ada L.", "g_team": "Team", "topic": "Topic"}, names{})
	a.Profile("bob", names{"name": "Bob"})
	check("Bob", names{"ada": "Ada L.", "g_team": "Team", "topic": "Topic", "bob": "Bob"}, names{})
	for n := range posts {
		a.Edit(fmt.Sprintf("p%d", n), refs("topic", "bob"))
	}
	check("Bob", names{"topic": "Topic", "bob": "Bob"}, names{})
}
