package testkit

import (
	"slices"
	"time"

	"example.com/relationindex/feed/pages"
	"example.com/relationindex/timelines/layout"
)

// WantShown checks the posts of a reader's timeline, in any order, without posts that the reader
// hides.
func (a *App) WantShown(reader string, want ...string) {
	a.T.Helper()
	got := []string{}
	for _, e := range a.Timeline(reader) {
		if !e.Hidden {
			got = append(got, e.Post)
		}
	}
	slices.Sort(got)
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) && len(got)+len(want) > 0 {
		a.T.Errorf("the feed of %s has %v, want %v", reader, got, want)
	}
}

// FollowSince writes a follow with the time at in createdAt, as a server may. nil: the follow has no
// createdAt.
func (a *App) FollowSince(follower, author string, at any) {
	fields := map[string]any{"createdAt": at}
	if at == nil {
		fields = map[string]any{"note": "a server's"}
	}
	a.Must(a.Client.Doc("users/"+author+"/followers/"+follower).Set(a.T.Context(), fields))
}

// Timeline returns a reader's newest 100 entries.
func (a *App) Timeline(reader string) []layout.Entry {
	a.T.Helper()
	entries, err := pages.Newest(a.T.Context(), a.Instance().DB, a.Instance().Timelines.Layout(), reader, 100)
	if err != nil {
		a.T.Fatal(err)
	}
	return entries
}

// WantTimeline checks the posts in the timeline of a reader, and their order.
func (a *App) WantTimeline(reader string, want ...string) {
	a.T.Helper()
	var got []string
	for _, e := range a.Timeline(reader) {
		got = append(got, e.Post)
	}
	if !slices.Equal(got, want) {
		a.T.Errorf("the timeline of %s has %v, want %v", reader, got, want)
	}
}

// Comments writes comments on a post, as clients do while the post has this author and audience.
func (a *App) Comments(p, author, audience string, ids ...string) {
	a.T.Helper()
	documents := map[string]map[string]any{}
	for _, c := range ids {
		documents["posts/"+p+"/comments/"+c] = map[string]any{"userId": "zoe", "createdAt": time.Now(), "thread": author + "/" + audience, "text": "private"}
	}
	Write(a.T, a.Client, documents)
}

// commentsOn returns the ids of the comments on a post.
func (a *App) commentsOn(p string) []string {
	a.T.Helper()
	docs, err := a.Client.Collection("posts/" + p + "/comments").Documents(a.T.Context()).GetAll()
	if err != nil {
		a.T.Fatal(err)
	}
	ids := []string{}
	for _, doc := range docs {
		ids = append(ids, doc.Ref.ID)
	}
	return ids
}

// WantComments checks the comments on a post.
func (a *App) WantComments(p string, want ...string) {
	a.T.Helper()
	if got := a.commentsOn(p); !slices.Equal(got, append([]string{}, want...)) {
		a.T.Errorf("the comments on %s are %v, want %v", p, got, want)
	}
}
