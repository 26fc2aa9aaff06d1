//go:build long

package prices_test

import (
	"fmt"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/feed/pages"
	"example.com/relationindex/prices"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// A page that clients load has about the bytes that are predicted: ids vary in length.
func TestBytesOfPages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		form string
		cfg  schema.Config
		prices.Author
	}{
		"relations":    {prices.Relations, schema.Config{NoOwnPosts: true}, prices.Author{Posts: 1}},
		"items":        {prices.Items, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}}, prices.Author{Posts: 1}},
		"buckets of 1": {prices.Buckets, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 1}, prices.Author{Posts: 1, Bucket: 1}},
		"days of 1":    {prices.Days, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "days"}}, prices.Author{Posts: 1}},
		"days of 3":    {prices.Days, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "days"}}, prices.Author{Posts: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.cfg.Feeds = schema.FeedsOf(test.cfg.Timeline(), test.cfg.Timeline() == "")
			a := newTimelineApp(t, test.cfg)
			author := strings.Repeat("a", 28)
			reader := a.crowd(author, 1)[0]
			const posts = 24
			for i := range posts {
				a.Must(a.Client.Doc(fmt.Sprintf("posts/post%016d", i)).Set(t.Context(), map[string]any{
					"userId": author, "createdAt": future.AddDate(0, 0, i/int(test.Posts)), "text": strings.Repeat("x", 200),
				}))
				a.Settle()
			}
			before, client := a.Meter.Counts(), a.Instance(a.Meter.Interceptor())
			var err error
			if test.form == prices.Relations {
				_, err = testkit.Open(t, a.ID, a.Meter.Interceptor()).Collection("_relations").Where("followers", "array-contains", reader).
					OrderBy("createdAt", firestore.Desc).Limit(20).Documents(t.Context()).GetAll()
			} else {
				_, err = pages.Newest(t.Context(), client.DB, client.Timelines.Layout(), reader, 20)
			}
			if err != nil {
				t.Fatal(err)
			}
			of := prices.AuthorOf(1)
			of.Posts, of.Following, of.Bucket = test.Posts, 1, max(1, test.Bucket)
			for _, m := range of.Months(prices.List{}) {
				if m.Form == test.form && !m.Feed {
					used := float64(a.Meter.Counts().Minus(before).Received)
					if used < m.PageBytes*0.85 || used > m.PageBytes*1.15 {
						t.Errorf("a page took %.0f bytes, predicted %.0f", used, m.PageBytes)
					}
				}
			}
		})
	}
}
