package clientrules

import (
	"testing"

	"cloud.google.com/go/firestore"
)

// follow is the only content that a follow may have.
func follow() fields { return fields{"createdAt": firestore.ServerTimestamp} }

func TestFollowersCreate(t *testing.T) {
	check(t, []cell{
		{carol, "follows alice", create("users/alice/followers/carol", follow()), allowed},
		{alice, "follows back", set("users/bob/followers/alice", follow()), allowed},
		{anonymous, "follows in carol's name", create("users/alice/followers/carol", follow()), denied},
		{bob, "follows in carol's name", create("users/alice/followers/carol", follow()), denied},
		{alice, "makes carol her follower", create("users/alice/followers/carol", follow()), denied},
		{carol, "follows herself", create("users/carol/followers/carol", follow()), denied},
		{carol, "follows with another field",
			create("users/alice/followers/carol", fields{"createdAt": firestore.ServerTimestamp, "note": "hi"}), denied},
		{carol, "follows with nothing", create("users/alice/followers/carol", fields{}), denied},
		{carol, "follows with another field alone",
			create("users/alice/followers/carol", fields{"time": firestore.ServerTimestamp}), denied},
		{carol, "follows at a time of her own",
			create("users/alice/followers/carol", fields{"createdAt": stamp}), denied},
		{carol, "follows at no time", create("users/alice/followers/carol", fields{"createdAt": nil}), denied},
	})
}

func TestFollowersUpdate(t *testing.T) {
	check(t, []cell{
		{bob, "follows again what he follows", set("users/alice/followers/bob", follow()), denied},
		{bob, "renews the time of his follow",
			update("users/alice/followers/bob", "createdAt", firestore.ServerTimestamp), denied},
		{bob, "adds a field to his follow", merge("users/alice/followers/bob", fields{"note": "hi"}), denied},
		{alice, "changes a follow of hers",
			update("users/alice/followers/bob", "createdAt", firestore.ServerTimestamp), denied},
		{anonymous, "changes a follow",
			update("users/alice/followers/bob", "createdAt", firestore.ServerTimestamp), denied},
	})
}

func TestFollowersDelete(t *testing.T) {
	check(t, []cell{
		{bob, "unfollows", remove("users/alice/followers/bob"), allowed},
		{carol, "unfollows what she does not follow", remove("users/alice/followers/carol"), allowed},
		{alice, "removes a follower", remove("users/alice/followers/bob"), denied},
		{carol, "removes another's follow", remove("users/alice/followers/bob"), denied},
		{anonymous, "removes a follow", remove("users/alice/followers/bob"), denied},
	})
}

func TestFollowersRead(t *testing.T) {
	followers := collection("users/alice/followers")
	first := func(db *firestore.Client) firestore.Query { return followers(db).Limit(1) }
	check(t, []cell{
		{bob, "reads his follow", get("users/alice/followers/bob"), allowed},
		{alice, "reads a follow of hers", get("users/alice/followers/bob"), allowed},
		{carol, "asks whether she follows", get("users/alice/followers/carol"), allowed},
		{alice, "asks whether carol follows her", get("users/alice/followers/carol"), allowed},
		{carol, "reads another's follow", get("users/alice/followers/bob"), denied},
		{anonymous, "reads a follow", get("users/alice/followers/bob"), denied},

		{alice, "lists her followers", list(followers), allowed},
		{alice, "listens to her followers", listen(followers), allowed},
		{alice, "counts her followers", count(followers), allowed},
		{bob, "lists another's followers", list(followers), denied},
		{bob, "lists one of another's followers", list(first), denied},
		{bob, "listens to another's followers", listen(followers), denied},
		{bob, "counts another's followers", count(followers), denied},
		{anonymous, "lists followers", list(followers), denied},
		{anonymous, "counts followers", count(followers), denied},
		{alice, "lists everyone's followers", list(group("followers")), denied},
		{alice, "counts everyone's followers", count(group("followers")), denied},
	})
}

func TestFollowing(t *testing.T) {
	following := collection("users/bob/following")
	check(t, []cell{
		{bob, "reads whom he follows", get("users/bob/following/alice"), allowed},
		{bob, "asks whether he follows carol", get("users/bob/following/carol"), allowed},
		{bob, "lists whom he follows", list(following), allowed},
		{bob, "listens to whom he follows", listen(following), allowed},
		{bob, "counts whom he follows", count(following), allowed},
		{alice, "reads that she is followed, from the other side", get("users/bob/following/alice"), denied},
		{alice, "lists whom bob follows", list(following), denied},
		{alice, "counts whom bob follows", count(following), denied},
		{carol, "reads whom bob follows", get("users/bob/following/alice"), denied},
		{anonymous, "reads whom bob follows", get("users/bob/following/alice"), denied},
		{anonymous, "lists whom bob follows", list(following), denied},
		{bob, "lists everyone's following", list(group("following")), denied},

		{bob, "writes that he follows carol", create("users/bob/following/carol", follow()), denied},
		{bob, "changes where he sits", update("users/bob/following/alice", "indexId", "00002"), denied},
		{bob, "removes that he follows", remove("users/bob/following/alice"), denied},
		{alice, "removes that bob follows her", remove("users/bob/following/alice"), denied},
		{anonymous, "removes that bob follows", remove("users/bob/following/alice"), denied},
	})
}

func TestFollowersIndex(t *testing.T) {
	const path = "users/alice/followers_index/00001"
	index := collection("users/alice/followers_index")
	check(t, []cell{
		{alice, "reads an index document of hers", get(path), denied},
		{alice, "lists her index documents", list(index), denied},
		{alice, "counts her index documents", count(index), denied},
		{bob, "reads the index document that holds him", get(path), denied},
		{bob, "lists every index document", list(group("followers_index")), denied},
		{anonymous, "reads an index document", get(path), denied},
		{anonymous, "lists index documents", list(index), denied},

		{alice, "creates an index document", create("users/alice/followers_index/00002",
			fields{"followers": []string{"carol"}}), denied},
		{alice, "adds a follower to her index document",
			update(path, "followers", firestore.ArrayUnion("carol")), denied},
		{bob, "removes himself from an index document",
			update(path, "followers", firestore.ArrayRemove("bob")), denied},
		{alice, "deletes an index document", remove(path), denied},
		{anonymous, "deletes an index document", remove(path), denied},
	})
}
