package testkit

import (
	"slices"
	"time"
)

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
