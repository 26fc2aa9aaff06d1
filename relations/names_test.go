package relations_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// In relations a hash stands for a long post id. Another author may choose this hash, or the
// name of a relation, as a post's id.
func TestPostIDEqualToAnotherPostsHash(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
	long, short := strings.Repeat("p", 65), "x"
	a.Follow("fan", "author")
	a.Follow("friend", "eve")
	a.Post(long, "author", stories.Day)
	a.Post(short, "author", stories.Day.Add(time.Hour))
	a.Settle()
	a.WantFeed("fan", short, long)
	names := func() (names []string) {
		docs, err := a.Client.Collection("_relations").Documents(t.Context()).GetAll()
		a.OK(err)
		for _, doc := range docs {
			names = append(names, doc.Ref.ID)
		}
		return names
	}
	var theirs []string
	for n, name := range names() {
		for m, id := range []string{name[:strings.LastIndexByte(name, '_')], name, name + "_00001"} {
			if id != short {
				theirs = append(theirs, id)
				a.Post(id, "eve", stories.Day.Add(time.Duration(10*n+m)*time.Minute))
			}
		}
	}
	a.Settle()
	a.WantFeed("fan", short, long)
	testkit.Same(t, "posts of eve", len(theirs), len(a.Feed("friend")))
	for _, id := range theirs {
		a.DeletePost(id)
	}
	a.Settle()
	a.WantFeed("fan", short, long)
	a.WantVerified()
}

// A post's events read its own relations, whatever ids others choose.
func TestPostCostIsIndependentOfOtherPostIDs(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
	a.Follow("fan", "author")
	a.Follow("friend", "eve")
	a.Settle()
	reads := func() int64 { return a.Used(func() { a.Post("x", "author", stories.Day) }).Reads }
	want := reads()
	a.Used(func() { a.DeletePost("x") })
	for n := range 40 {
		a.Post(fmt.Sprintf("x_%07d", n), "eve", stories.Day)
	}
	a.Settle()
	if got := reads(); got != want {
		t.Errorf("a post beside others' takes %d reads, want %d", got, want)
	}
}
