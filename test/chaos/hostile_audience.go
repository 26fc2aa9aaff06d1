package chaos

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/firestore"
)

// These are the victims of hostile clients, beside the accounts of the operations. No operation names
// them.
const (
	closedAccount = "a-closed-account"
	othersGroup   = "g_others" // open; its owner closedAccount alone posts to it
	deletedGroup  = "g_deleted"
	othersPost    = "others-post" // of closedAccount
)

// createVictims writes these documents.
func createVictims(ctx context.Context, client *firestore.Client) error {
	return errors.Join(
		set(ctx, client, "users/"+closedAccount, map[string]any{"name": "a closed account", "closed": true}),
		set(ctx, client, "users/"+othersGroup, map[string]any{"name": "a group", "ownerId": closedAccount, "closed": false, "post": "owner"}),
		set(ctx, client, "_tombstones/"+deletedGroup, map[string]any{}),
		set(ctx, client, "posts/"+othersPost, postTo(closedAccount, closedAccount)),
	)
}

func postTo(audience, author string) map[string]any {
	return map[string]any{"userId": author, "audience": audience, "hidden": false, "createdAt": time.Now(), "text": "of somebody"}
}

// forbiddenAmongOthers are a hostile client's writes, as the account u, with the audiences, groups and
// requests of other accounts.
var forbiddenAmongOthers = []forbiddenWrite{
	{"a post to another's followers", func(ctx context.Context, c *firestore.Client, u, _ string) error {
		return set(ctx, c, "posts/hostile", postTo(closedAccount, u))
	}},
	{"a post to a group for its owner", func(ctx context.Context, c *firestore.Client, u, _ string) error {
		return set(ctx, c, "posts/hostile", postTo(othersGroup, u))
	}},
	{"a post to a group that is gone", func(ctx context.Context, c *firestore.Client, u, _ string) error {
		return set(ctx, c, "posts/hostile", postTo(deletedGroup, u))
	}},
	{"a post to everybody", func(ctx context.Context, c *firestore.Client, u, _ string) error {
		post := postTo(u, u)
		post["to"] = manyStrings(101)
		return set(ctx, c, "posts/hostile", post)
	}},
	{"a stranger's hiding", func(ctx context.Context, c *firestore.Client, _, _ string) error {
		_, err := c.Doc("posts/"+othersPost).Update(ctx, []firestore.Update{{Path: "hidden", Value: true}})
		return err
	}},
	{"a stranger's look into a closed account", func(ctx context.Context, c *firestore.Client, _, _ string) error {
		_, err := c.Doc("posts/" + othersPost).Get(ctx)
		return err
	}},
	{"a follow of a closed account", func(ctx context.Context, c *firestore.Client, u, _ string) error {
		return set(ctx, c, "users/"+closedAccount+"/followers/"+u, now())
	}},
	{"an acceptance that nobody asked for", func(ctx context.Context, c *firestore.Client, u, _ string) error {
		return c.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
			return errors.Join(tx.Delete(c.Doc("users/"+u+"/requests/somebody")), tx.Set(c.Doc("users/"+u+"/followers/somebody"), now()))
		})
	}},
	{"a request in another's name", func(ctx context.Context, c *firestore.Client, _, _ string) error {
		return set(ctx, c, "users/"+closedAccount+"/requests/somebody", requestOf("somebody"))
	}},
	{"a request that says another's name", func(ctx context.Context, c *firestore.Client, u, _ string) error {
		return set(ctx, c, "users/"+closedAccount+"/requests/"+u, requestOf("somebody"))
	}},
	{"a request to follow an open group", func(ctx context.Context, c *firestore.Client, u, _ string) error {
		return set(ctx, c, "users/"+othersGroup+"/requests/"+u, requestOf(u))
	}},
	{"a group of a deleted group's id", func(ctx context.Context, c *firestore.Client, u, _ string) error {
		return set(ctx, c, "users/"+deletedGroup, groupOf(u))
	}},
	{"a group of another owner's", func(ctx context.Context, c *firestore.Client, _, _ string) error {
		return set(ctx, c, "users/g_hostile", groupOf("somebody"))
	}},
	{"another's group", func(ctx context.Context, c *firestore.Client, u, _ string) error {
		_, err := c.Doc("users/"+othersGroup).Update(ctx, []firestore.Update{{Path: "ownerId", Value: u}})
		return err
	}},
	{"a tombstone", func(ctx context.Context, c *firestore.Client, _, _ string) error {
		return set(ctx, c, "_tombstones/"+othersGroup, map[string]any{})
	}},
}

func requestOf(follower string) map[string]any {
	return map[string]any{"followerId": follower, "createdAt": firestore.ServerTimestamp}
}
