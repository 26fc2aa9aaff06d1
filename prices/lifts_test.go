//go:build long

package prices_test

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/prices"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

func TestFormulasOfComments(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name                                  string
		followers, audience, capacity, inline int
	}{
		{"of nobody's account", 0, 2, 3, inline},
		{"inline", inline, 2, 3, inline},
		{"of who has as many index documents", 5, 4, 3, inline},
		{"by a job", 7, 9, 3, inline},
		{"by a job of two pages", 31, 31, 16, inline},
		{"by the audience", 7, 3, 3, inline},
		{"by the audience, in a job", 20, 7, 7, inline},
		{"by an empty audience", 4, 0, 3, inline},
		{"by an audience of two pages", 40, 32, 16, inline},
		{"in two transactions", 103, 200, 200, 110},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := newTimelineApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, Ranked: true, Capacity: test.capacity, InlineLimit: test.inline})
			a.crowd("author", test.audience)
			a.crowd("ann", test.followers)
			documents := map[string]map[string]any{"users/n0/following/ann": {"indexId": "00001"}}
			for n := range test.audience { // all follow ann, whose index documents name others
				documents[fmt.Sprintf("users/author%03d/following/ann", n)] = map[string]any{"indexId": "00001"}
			}
			testkit.Write(t, a.Client, documents)
			a.PostTo("p1", "author", "author", time.Now())
			a.PostTo("p2", "author", "author", time.Now(), "n0")
			a.PostTo("p3", "author", "", time.Now(), "n0")
			a.Settle()
			comment := func(p, c, author string) func() {
				return func() {
					a.Must(a.Client.Doc("posts/"+p+"/comments/"+c).Set(t.Context(), map[string]any{"userId": author, "createdAt": firestore.ServerTimestamp}))
				}
			}
			l := prices.Lifted{Followers: test.followers, Audience: test.audience}
			byAudience := prices.Parts(test.audience, test.capacity) < prices.Parts(test.followers, test.capacity)
			if byAudience {
				l.Both, l.Lower = test.audience, test.audience
			}
			a.wantCost("a comment", a.x.Comment(l), oneWrite, comment("p1", "c1", "ann"))
			own := prices.Lifted{Followers: test.audience, Same: true, Both: test.audience, Lower: test.audience}
			a.wantCost("one by the author", a.x.Comment(own), oneWrite, comment("p1", "c2", "author"))
			if l.Lower = 0; max(test.followers, test.audience) <= test.inline {
				again := a.x.Comment(l).Plus(prices.Counts{Writes: -1})
				a.wantCost("the same comment, which is lower", again, wire.Counts{}, func() {
					a.again("OnCommentWritten", "posts/p1/comments/c1")
				})
			}
			if l.Named = 1; byAudience {
				l.Both, l.Lower = test.audience+1, test.audience+1
			}
			a.wantCost("of a post that names somebody", a.x.Comment(l), oneWrite, comment("p2", "c3", "ann"))
			alone := prices.Lifted{None: true, Named: 1, Both: 1, Lower: 1}
			a.wantCost("of a post without an audience", a.x.Comment(alone), oneWrite, comment("p3", "c4", "ann"))
		})
	}
}
