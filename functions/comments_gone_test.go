package functions_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// comments writes comments on a post, as clients did while it was by author and to audience.
func (a *app) comments(p, author, audience string, ids ...string) {
	a.T.Helper()
	documents := map[string]map[string]any{}
	for _, c := range ids {
		documents["posts/"+p+"/comments/"+c] = map[string]any{"userId": "zoe", "createdAt": time.Now(), "thread": author + "/" + audience, "text": "private"}
	}
	testkit.Write(a.T, a.Client, documents)
}

// commentsOn are the ids of the comments on a post.
func (a *app) commentsOn(p string) []string {
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

// deletionOf is the event of a deleted document.
func deletionOf(t *testing.T, project, path string) event.Event {
	t.Helper()
	data, err := proto.Marshal(&firestoredata.DocumentEventData{
		OldValue: &firestoredata.Document{Name: "projects/" + project + "/databases/(default)/documents/" + path, UpdateTime: timestamppb.Now()},
	})
	if err != nil {
		t.Fatal(err)
	}
	return firestoreEvent(t, data)
}

func (a *app) wantComments(p string, want ...string) {
	a.T.Helper()
	if got := a.commentsOn(p); !slices.Equal(got, append([]string{}, want...)) {
		a.T.Errorf("the comments on %s are %v, want %v", p, got, want)
	}
}

// A post that is deleted and made again, by somebody else or by its author, keeps the comments that
// were written to it: whenever the events come, and however often.
func TestCommentsOfAnotherLifeGo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		author string // who makes the post again
		want   []string
	}{
		"by somebody else": {"eve", []string{"new", "unbound"}},
		"by its author":    {"author", []string{"authors", "moved", "new", "unbound"}},
		"by nobody":        {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, config.Functions{})
			a.Post("p", "author", day)
			a.Settle()
			a.comments("p", "author", "author", "authors")
			a.comments("p", "author", "g_club", "moved")
			testkit.Write(t, a.Client, map[string]map[string]any{"posts/p/comments/unbound": {"userId": "zoe"}})
			if c.author == "" {
				a.DeletePost("p")
			} else { // the deletion and this, as a late event of the deletion finds them
				a.Must(a.Client.Doc("posts/p").Set(t.Context(), map[string]any{"userId": c.author, "createdAt": day, "audience": c.author, "hidden": false}))
				a.comments("p", c.author, c.author, "new")
			}
			for range 2 {
				if err := a.Handlers().Function("OnPostWritten")(t.Context(), deletionOf(t, a.ID, "posts/p")); err != nil {
					t.Fatal(err)
				}
				a.Settle()
				a.wantComments("p", c.want...)
			}
		})
	}
}

// A comment that a server changes while its post's are deleted goes as well; nothing fails for what is
// already gone.
func TestCommentsThatChangeGoToo(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{})
	a.comments("p", "author", "author", "c1", "c2")
	accounts := a.Instance().Accounts
	done := make(chan error, 4)
	for n := range cap(done) {
		go func() { done <- accounts.DropComments(t.Context(), "p", fmt.Sprint(n), "e") }()
		a.Must(a.Client.Doc("posts/p/comments/c2").Set(t.Context(), map[string]any{"likes": firestore.Increment(1), "thread": "author/author"}, firestore.MergeAll))
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if err := accounts.DropComments(t.Context(), "p", "last", "e"); err != nil {
		t.Error(err)
	}
	a.wantComments("p")
	if err := accounts.DropComments(t.Context(), "..", "no id", "e"); err != nil {
		t.Error(err)
	}
	if id := schema.CommentsJobID("p"); id != "comments:p" {
		t.Errorf("the job is %s", id)
	}
}
