package clients

import (
	"context"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
)

// These are the victims of hostile clients, beside the accounts of the operations. No operation names
// them.
const (
	Witness       = "witness" // follows each account with overwritten numbers, and is followed by it
	closedAccount = "a-closed-account"
	othersGroup   = "g_others" // open; its owner closedAccount alone posts to it
	deletedGroup  = "g_deleted"
	othersPost    = "others-post" // of closedAccount
)

// CreateAccounts writes the profiles of all users, all groups, and the victims of hostile clients.
func CreateAccounts(ctx context.Context, client *firestore.Client, users int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	documents := map[string]map[string]any{
		"users/" + Witness:            profile(Witness),
		"users/" + closedAccount:      {"name": "a closed account", "closed": true},
		"users/" + othersGroup:        {"name": "a group", "ownerId": closedAccount, "closed": false, "post": "owner"},
		"_tombstones/" + deletedGroup: {},
		"posts/" + othersPost:         postTo(closedAccount, closedAccount),
	}
	for n := range users {
		documents["users/"+UserID(n)] = profile(UserID(n))
	}
	for n := range Groups + 1 {
		documents["users/"+GroupID(n)] = groupOf(UserID(n % users))
	}
	for path, data := range documents {
		group.Go(func() error { return commit(ctx, client, write{whole, path, data}) })
	}
	return group.Wait()
}

func postTo(audience, author string) map[string]any {
	return map[string]any{"userId": author, "audience": audience, "hidden": false, "createdAt": time.Now(), "text": "of somebody"}
}

// forbidden are a hostile client's writes, as the account u with the post p. Rules must reject them. The first ones concern
// no other account; the last ones use the audiences, groups and requests of others.
var forbidden = []struct {
	what   string
	writes func(u, p string) []write
}{
	{CreatedAtMoved, func(_, p string) []write { return []write{{update, "posts/" + p, created(nil)}} }},
	{"a follow of nobody", func(u, p string) []write { return set("users/nobody-"+p+"/followers/"+u, created(nil)) }},
	{"a forged follow", func(u, _ string) []write { return set("users/"+u+"/followers/somebody", created(nil)) }},
	{"an index document", func(u, _ string) []write {
		return set("users/"+u+"/followers_index/00001", map[string]any{"followers": []string{u}})
	}},
	{"an edge", func(u, _ string) []write { return set("users/"+u+"/following/somebody", created(nil)) }},
	{"a relation", func(u, p string) []write {
		return set("_relations/"+p+"_00001", map[string]any{"postId": p, "userId": u, "followers": []string{u}})
	}},
	{"a job", func(u, p string) []write {
		return set("_functions/post:"+p, map[string]any{"kind": "relations.purge", "state": "queued", "args": map[string]any{"author": u}})
	}},

	{"a post to another's followers", func(u, _ string) []write { return set("posts/hostile", postTo(closedAccount, u)) }},
	{"a post to a group for its owner", func(u, _ string) []write { return set("posts/hostile", postTo(othersGroup, u)) }},
	{"a post to a group that is gone", func(u, _ string) []write { return set("posts/hostile", postTo(deletedGroup, u)) }},
	{"a post to everybody", func(u, _ string) []write {
		post := postTo(u, u)
		post["to"] = manyStrings(101)
		return set("posts/hostile", post)
	}},
	{"a stranger's hiding", func(_, _ string) []write {
		return []write{{update, "posts/" + othersPost, map[string]any{"hidden": true}}}
	}},
	{"a stranger's look into a closed account", func(_, _ string) []write { return []write{{look, "posts/" + othersPost, nil}} }},
	{"a follow of a closed account", func(u, _ string) []write { return set("users/"+closedAccount+"/followers/"+u, created(nil)) }},
	{"an acceptance that nobody asked for", func(u, _ string) []write {
		return Op{Kind: Accept, User: "somebody", Author: u}.writes(time.Now(), nil)
	}},
	{"a request in another's name", func(_, _ string) []write { return request(closedAccount, "somebody", "somebody") }},
	{"a request that says another's name", func(u, _ string) []write { return request(closedAccount, u, "somebody") }},
	{"a request to follow an open group", func(u, _ string) []write { return request(othersGroup, u, u) }},
	{"a group of a deleted group's id", func(u, _ string) []write { return set("users/"+deletedGroup, groupOf(u)) }},
	{"a group of another owner's", func(_, _ string) []write { return set("users/g_hostile", groupOf("somebody")) }},
	{"another's group", func(u, _ string) []write {
		return []write{{update, "users/" + othersGroup, map[string]any{"ownerId": u}}}
	}},
	{"a tombstone", func(_, _ string) []write { return set("_tombstones/"+othersGroup, map[string]any{}) }},
}

// CreatedAtMoved is the forbidden write that finds nothing if the post is gone.
const CreatedAtMoved = "createdAt moved"

func set(path string, data map[string]any) []write { return []write{{whole, path, data}} }

func request(of, by, name string) []write {
	return set("users/"+of+"/requests/"+by, created(map[string]any{"followerId": name}))
}

// ForbiddenWrites returns the Text of each forbidden write.
func ForbiddenWrites() (all []string) {
	for _, f := range forbidden {
		all = append(all, f.what)
	}
	return all
}

// Try makes the write of a Forbidden operation, with a client under the rules. known is false if there is no such write.
func (o Op) Try(ctx context.Context, client *firestore.Client) (known bool, err error) {
	for _, f := range forbidden {
		if f.what == o.Text {
			return true, commit(ctx, client, f.writes(o.User, o.Post)...)
		}
	}
	return false, nil
}
