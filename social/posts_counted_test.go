package social_test

import (
	"testing"
	"time"

	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// The generation of a post's event is the same after functions have counted the post, so that the event that comes twice finds
// its job. Of a post without numbers it is that of the last write, whichever event it is.
func TestGenerationOfCountedPostIsStable(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, schema.Config{})
	db := a.Instance().DB
	ref := a.Client.Doc("posts/p")
	written, err := ref.Set(t.Context(), map[string]any{"userId": "ada", "createdAt": time.Now()})
	a.OK(err)
	want := schema.Generation(written.UpdateTime)
	look := func(event time.Time, want string) {
		t.Helper()
		post, generation, err := posts.Current(posts.OfEvent(t.Context(), event), db, "p")
		if err != nil || generation != want || !post.Fresh() {
			t.Errorf("the generation is %s, fresh: %t, %v; want %s", generation, post.Fresh(), err, want)
		}
	}
	look(written.UpdateTime, want)
	look(written.UpdateTime.Add(-time.Hour), want)
	a.Must(a.Client.Doc("posts/p/likes/ann").Set(t.Context(), map[string]any{"userId": "ann", "createdAt": time.Now()}))
	counting := testkit.Index(t, a.ID, schema.Config{Counts: true})
	a.OK(counting.Tallies.Liked(t.Context(), "p"))
	look(written.UpdateTime, want)
	look(written.UpdateTime.Add(-time.Hour), schema.Generation(written.UpdateTime.Add(-time.Hour)))
}
