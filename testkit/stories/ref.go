package stories

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/schema"
)

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
