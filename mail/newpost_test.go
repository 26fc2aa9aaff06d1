package mail_test

import (
	"slices"
	"testing"
	"time"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/testkit"
)

// Functions with a template write the mail of a new post, once for each reader, beside what else
// they do. Without one, they write none.
func TestMailOfANewPost(t *testing.T) {
	t.Parallel()
	for _, template := range []string{"new-post", ""} {
		a := testkit.NewApp(t, config.Functions{Mail: template})
		a.Profile("author", map[string]any{"name": "x"})
		a.Follow("r1", "author")
		a.Follow("r2", "author")
		a.Settle()
		a.Post("p1", "author", time.Now())
		a.Settle()
		a.Post("p1", "author", time.Now())
		a.Follow("r3", "author")
		a.Settle()
		docs, err := a.Client.Collection("mail").Documents(t.Context()).GetAll()
		if err != nil {
			t.Fatal(err)
		}
		var named []string
		for _, doc := range docs {
			uids, _ := doc.Data()["bccUids"].([]any)
			for _, uid := range uids {
				named = append(named, uid.(string))
			}
		}
		want := []string{"r1", "r2"}
		if template == "" {
			want = nil
		}
		if slices.Sort(named); !slices.Equal(named, want) {
			t.Errorf("template %q: mail to %v, want %v", template, named, want)
		}
		a.WantFeed("r1", "p1")
	}
}
