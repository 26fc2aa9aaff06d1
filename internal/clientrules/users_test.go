package clientrules

import (
	"context"
	"testing"

	"cloud.google.com/go/firestore"
)

func TestUsersRead(t *testing.T) {
	check(t, []cell{
		{anonymous, "reads a profile", get("users/alice"), denied},
		{anonymous, "lists profiles", list(collection("users")), denied},
		{alice, "reads her profile", get("users/alice"), allowed},
		{bob, "reads another's profile", get("users/alice"), allowed},
		{bob, "lists profiles", list(collection("users")), allowed},
		{carol, "looks for her profile before she has one", get("users/carol"), allowed},
	})
}

func TestUsersCreate(t *testing.T) {
	check(t, []cell{
		{carol, "creates her profile", create("users/carol", fields{"name": "Carol"}), allowed},
		{carol, "sets her profile for the first time", set("users/carol", fields{"name": "Carol"}), allowed},
		{early, "merges her first profile into the functions' fields", merge("users/early", fields{"name": "E"}), allowed},
		{early, "sets her first profile over the functions' fields", set("users/early", fields{"name": "E"}), denied},
		{bob, "creates another's profile", create("users/carol", fields{"name": "Carol"}), denied},
		{anonymous, "creates a profile", create("users/carol", fields{"name": "Carol"}), denied},
		{carol, "creates her profile with followers_index",
			create("users/carol", fields{"name": "Carol", "followers_index": []string{"00001"}}), denied},
		{carol, "creates her profile with an empty followers_index",
			create("users/carol", fields{"name": "Carol", "followers_index": []string{}}), denied},
		{carol, "creates her profile with latestFollowersIndex",
			create("users/carol", fields{"name": "Carol", "latestFollowersIndex": "00001"}), denied},
		{carol, "creates her profile with latestFollowersIndex by a transform",
			create("users/carol", fields{"latestFollowersIndex": firestore.ServerTimestamp}), denied},
	})
}

func TestUsersUpdate(t *testing.T) {
	check(t, []cell{
		{alice, "changes her name", update("users/alice", "name", "Al"), allowed},
		{alice, "adds a field", update("users/alice", "city", "Oslo"), allowed},
		{alice, "merges a field", merge("users/alice", fields{"name": "Al"}), allowed},
		{alice, "writes her whole profile with the index fields as they are",
			set("users/alice", with("users/alice", "name", "Al")), allowed},
		{bob, "changes another's name", update("users/alice", "name", "Al"), denied},
		{anonymous, "changes a name", update("users/alice", "name", "Al"), denied},

		{alice, "changes followers_index", update("users/alice", "followers_index", []string{"00002"}), denied},
		{alice, "empties followers_index", update("users/alice", "followers_index", []string{}), denied},
		{alice, "appends to followers_index",
			update("users/alice", "followers_index", firestore.ArrayUnion("00002")), denied},
		{alice, "turns followers_index into a map", update("users/alice", "followers_index.x", "00002"), denied},
		{alice, "removes followers_index", update("users/alice", "followers_index", firestore.Delete), denied},
		{alice, "changes latestFollowersIndex", update("users/alice", "latestFollowersIndex", "00002"), denied},
		{alice, "removes latestFollowersIndex",
			update("users/alice", "latestFollowersIndex", firestore.Delete), denied},
		{bob, "adds followers_index to his profile", update("users/bob", "followers_index", []string{"00001"}), denied},
		{bob, "adds latestFollowersIndex to his profile",
			update("users/bob", "latestFollowersIndex", "00001"), denied},
		{alice, "overwrites her profile and so drops both index fields",
			set("users/alice", without("users/alice", "followers_index", "latestFollowersIndex")), denied},
		{alice, "overwrites her profile and so drops followers_index",
			set("users/alice", without("users/alice", "followers_index")), denied},
		{alice, "overwrites her profile and so drops latestFollowersIndex",
			set("users/alice", without("users/alice", "latestFollowersIndex")), denied},
	})
}

func TestUsersDelete(t *testing.T) {
	// again deletes alice's profile and creates it with data, in two commits.
	again := func(data fields) request {
		return func(ctx context.Context, db *firestore.Client) error {
			if err := remove("users/alice")(ctx, db); err != nil {
				return err
			}
			return create("users/alice", data)(ctx, db)
		}
	}
	check(t, []cell{
		{alice, "deletes her profile", remove("users/alice"), allowed},
		{bob, "deletes another's profile", remove("users/alice"), denied},
		{anonymous, "deletes a profile", remove("users/alice"), denied},
		{alice, "deletes and creates her profile", again(fields{"name": "Alice"}), allowed},
		{alice, "deletes and creates her profile with index fields",
			again(with("users/alice", "followers_index", []string{"00002"})), denied},
		{alice, "deletes and writes her profile with other index fields at once",
			atomically("users/alice", with("users/alice", "followers_index", []string{"00002"})), denied},
	})
}
