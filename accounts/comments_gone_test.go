package accounts_test

import (
	"fmt"
	"testing"

	"cloud.google.com/go/firestore"
	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// deletionOf is the event of a deleted document.
func deletionOf(t *testing.T, project, path string) event.Event {
	t.Helper()
	data, err := proto.Marshal(&firestoredata.DocumentEventData{
		OldValue: &firestoredata.Document{Name: "projects/" + project + "/databases/(default)/documents/" + path, UpdateTime: timestamppb.Now()},
	})
	if err != nil {
		t.Fatal(err)
	}
	return testkit.FirestoreEvent(t, data)
}

// A post is deleted and created again, by its author or another one. The event of the deletion keeps the
// comments of the new post, in any order of the events, and with duplicates. The likes of a post that is
// gone go, also where nobody counts them.
func TestDeletionKeepsCommentsOfRecreatedPost(t *testing.T) {
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
			a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
			a.Post("p", "author", stories.Day)
			a.Settle()
			a.Comments("p", "author", "author", "authors")
			a.Comments("p", "author", "g_club", "moved")
			testkit.Write(t, a.Client, map[string]map[string]any{
				"posts/p/comments/unbound": {"userId": "zoe"},
				"posts/p/likes/fan":        {"userId": "fan", "postId": "p", "createdAt": stories.Day}, // of the post of before
			})
			if c.author == "" {
				a.DeletePost("p")
			} else { // the deletion and this, as a late event of the deletion finds them
				a.Must(a.Client.Doc("posts/p").Set(t.Context(), map[string]any{"userId": c.author, "createdAt": stories.Day, "audience": c.author, "hidden": false}))
				a.Comments("p", c.author, c.author, "new")
			}
			for range 2 {
				a.OK(a.Handlers().Function("OnPostWritten")(t.Context(), deletionOf(t, a.ID, "posts/p")))
				a.Settle()
				a.WantComments("p", c.want...)
				if likes := a.Documents(a.Client.Collection("posts/p/likes").Query); c.author == "" && len(likes) > 0 {
					t.Errorf("%d likes stay, want none", len(likes))
				}
			}
		})
	}
}

// A server changes a comment while the comments of its post are deleted. It is deleted too, and an already
// deleted comment causes no error.
func TestCommentsChangedDuringDeletionAreDeleted(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
	a.Comments("p", "author", "author", "c1", "c2")
	accounts := a.Instance().Accounts
	done := make(chan error, 4)
	for n := range cap(done) {
		go func() { done <- accounts.Drop(t.Context(), "p", fmt.Sprint(n), "e") }()
		a.Must(a.Client.Doc("posts/p/comments/c2").Set(t.Context(), map[string]any{"likes": firestore.Increment(1), "thread": "author/author"}, firestore.MergeAll))
	}
	for range cap(done) {
		testkit.NoError(t, <-done)
	}
	testkit.NoError(t, accounts.Drop(t.Context(), "p", "last", "e"))
	a.WantComments("p")
	testkit.NoError(t, accounts.Drop(t.Context(), "..", "no id", "e"))
	if id := schema.CommentsJobID("p"); id != "comments:p" {
		t.Errorf("the job is %s", id)
	}
}
