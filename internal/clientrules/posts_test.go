package clientrules

import (
	"testing"

	"cloud.google.com/go/firestore"
)

func TestPostsRead(t *testing.T) {
	byAlice := func(db *firestore.Client) firestore.Query {
		return db.Collection("posts").Where("userId", "==", "alice")
	}
	check(t, []cell{
		{anonymous, "reads a post", get("posts/hello"), denied},
		{anonymous, "lists posts", list(collection("posts")), denied},
		{bob, "reads a post", get("posts/hello"), allowed},
		{carol, "reads a post of one she does not follow", get("posts/hello"), allowed},
		{bob, "lists posts", list(collection("posts")), allowed},
		{bob, "lists an author's posts", list(byAlice), allowed},
	})
}

func TestPostsCreate(t *testing.T) {
	const path = "posts/new"
	check(t, []cell{
		{alice, "posts", create(path, world()["posts/hello"]), allowed},
		{alice, "posts at the server's time",
			create(path, with("posts/hello", "createdAt", firestore.ServerTimestamp)), allowed},
		{bob, "posts in alice's name", create(path, world()["posts/hello"]), denied},
		{anonymous, "posts in alice's name", create(path, world()["posts/hello"]), denied},
		{anonymous, "posts in no one's name", create(path, without("posts/hello", "userId")), denied},
		{alice, "posts without an author", create(path, without("posts/hello", "userId")), denied},
		{alice, "posts with a null author", create(path, with("posts/hello", "userId", nil)), denied},
		{alice, "posts without createdAt", create(path, without("posts/hello", "createdAt")), denied},
		{alice, "posts with createdAt as text",
			create(path, with("posts/hello", "createdAt", "2026-01-02T03:04:05Z")), denied},
		{alice, "posts with createdAt as a number",
			create(path, with("posts/hello", "createdAt", stamp.UnixMilli())), denied},
	})
}

func TestPostsUpdate(t *testing.T) {
	check(t, []cell{
		{alice, "edits her post", update("posts/hello", "text", "hello again"), allowed},
		{alice, "writes her whole post again", set("posts/hello", with("posts/hello", "text", "again")), allowed},
		{bob, "edits another's post", update("posts/hello", "text", "mine"), denied},
		{anonymous, "edits a post", update("posts/hello", "text", "mine"), denied},

		{alice, "gives her post to bob", update("posts/hello", "userId", "bob"), denied},
		{alice, "removes the author of her post", update("posts/hello", "userId", firestore.Delete), denied},
		{bob, "takes another's post", update("posts/hello", "userId", "bob"), denied},
		{bob, "takes a post that has no author", update("posts/authorless", "userId", "bob"), denied},
		{bob, "edits a post that has no author", update("posts/authorless", "text", "mine"), denied},

		{alice, "moves createdAt", update("posts/hello", "createdAt", stamp.AddDate(0, 0, 1)), allowed},
		{alice, "makes createdAt text", update("posts/hello", "createdAt", "2026-01-02"), denied},
		{alice, "removes createdAt", update("posts/hello", "createdAt", firestore.Delete), denied},
		{alice, "edits a post that has no createdAt", update("posts/undated", "text", "now"), allowed},
		{alice, "dates a post that has no createdAt", update("posts/undated", "createdAt", stamp), allowed},
	})
}

func TestPostsDelete(t *testing.T) {
	check(t, []cell{
		{alice, "deletes her post", remove("posts/hello"), allowed},
		{bob, "deletes another's post", remove("posts/hello"), denied},
		{anonymous, "deletes a post", remove("posts/hello"), denied},
		{bob, "deletes a post that has no author", remove("posts/authorless"), denied},
		{alice, "deletes a post that is gone", remove("posts/gone"), denied},
	})
}
