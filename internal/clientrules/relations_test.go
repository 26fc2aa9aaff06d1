package clientrules

import (
	"context"
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
)

// feed is the query of the whole project: the newest posts of those whom reader follows. A limit of 0 is none.
func feed(reader user, limit int) query {
	return func(db *firestore.Client) firestore.Query {
		q := db.Collection("_relations").
			Where("followers", "array-contains", string(reader)).
			OrderBy("createdAt", firestore.Desc)
		if limit == 0 {
			return q
		}
		return q.Limit(limit)
	}
}

func TestRelationsList(t *testing.T) {
	relations := func(narrow func(firestore.Query) firestore.Query) query {
		return func(db *firestore.Client) firestore.Query {
			return narrow(db.Collection("_relations").Limit(50))
		}
	}
	check(t, []cell{
		{bob, "reads his feed, 20 at a time", list(feed(bob, 20)), allowed},
		{bob, "reads his feed, 50 at a time", list(feed(bob, 50)), allowed},
		{bob, "reads the second page of his feed", list(func(db *firestore.Client) firestore.Query {
			return feed(bob, 50)(db).StartAfter(stamp)
		}), allowed},
		{bob, "reads his feed without the arrays", list(func(db *firestore.Client) firestore.Query {
			return feed(bob, 50)(db).Select("postId", "userId", "createdAt")
		}), allowed},
		{bob, "listens to his feed", listen(feed(bob, 50)), allowed},
		{bob, "counts his feed up to 50", count(feed(bob, 50)), allowed},
		{bob, "reads what alice alone sends him", list(relations(func(q firestore.Query) firestore.Query {
			return q.Where("followers", "array-contains", "bob").Where("userId", "==", "alice")
		})), allowed},
		{carol, "reads her feed, which is empty", list(feed(carol, 50)), allowed},

		{bob, "reads his feed, 51 at a time", list(feed(bob, 51)), denied},
		{bob, "reads his feed without a limit", list(feed(bob, 0)), denied},
		{bob, "listens to his feed, 51 at a time", listen(feed(bob, 51)), denied},
		{bob, "listens to his feed without a limit", listen(feed(bob, 0)), denied},
		{bob, "counts his feed without a limit", count(feed(bob, 0)), denied},
		{carol, "reads another's feed", list(feed(bob, 50)), denied},
		{carol, "listens to another's feed", listen(feed(bob, 50)), denied},
		{carol, "counts another's feed", count(feed(bob, 50)), denied},
		{bob, "reads another's feed, which is empty", list(feed(carol, 50)), denied},
		{alice, "reads her follower's feed", list(feed(bob, 50)), denied},
		{anonymous, "reads a feed", list(feed(bob, 50)), denied},
		{anonymous, "reads the feed of no one", list(feed(anonymous, 50)), denied},
		{bob, "reads relations without a filter", list(collection("_relations")), denied},
		{bob, "reads 50 relations without a filter, though all are his",
			list(relations(func(q firestore.Query) firestore.Query { return q })), denied},
		{alice, "reads the relations of her posts", list(relations(func(q firestore.Query) firestore.Query {
			return q.Where("userId", "==", "alice")
		})), denied},
		{bob, "reads his feed and another's at once", list(relations(func(q firestore.Query) firestore.Query {
			return q.Where("followers", "array-contains-any", []string{"bob", "carol"})
		})), denied},
		{bob, "reads his feed or all of alice", list(relations(func(q firestore.Query) firestore.Query {
			return q.WhereEntity(firestore.OrFilter{Filters: []firestore.EntityFilter{
				firestore.PropertyFilter{Path: "followers", Operator: "array-contains", Value: "bob"},
				firestore.PropertyFilter{Path: "userId", Operator: "==", Value: "alice"},
			}})
		})), denied},
		{bob, "reads his feed from every collection of the name", list(func(db *firestore.Client) firestore.Query {
			return db.CollectionGroup("_relations").Where("followers", "array-contains", "bob").Limit(50)
		}), denied},
	})
}

func TestRelationsGet(t *testing.T) {
	check(t, []cell{
		{bob, "reads a relation that holds him", get("_relations/hello_00001"), denied},
		{alice, "reads a relation of her post", get("_relations/hello_00001"), denied},
		{carol, "reads another's relation", get("_relations/hello_00001"), denied},
		{bob, "asks whether a relation is there", get("_relations/hello_00002"), denied},
		{anonymous, "reads a relation", get("_relations/hello_00001"), denied},
	})
}

func TestRelationsWrite(t *testing.T) {
	const path = "_relations/hello_00001"
	copied := world()[path]
	check(t, []cell{
		{alice, "creates a relation of her post", create("_relations/hello_00002", copied), denied},
		{bob, "creates a relation that holds him", create("_relations/hello_00002", copied), denied},
		{anonymous, "creates a relation", create("_relations/hello_00002", copied), denied},
		{alice, "adds a reader to a relation", update(path, "followers", firestore.ArrayUnion("carol")), denied},
		{carol, "adds herself to a relation", update(path, "followers", firestore.ArrayUnion("carol")), denied},
		{bob, "removes himself from a relation", update(path, "followers", firestore.ArrayRemove("bob")), denied},
		{anonymous, "changes a relation", update(path, "userId", "carol"), denied},
		{alice, "deletes a relation of her post", remove(path), denied},
		{bob, "deletes a relation that holds him", remove(path), denied},
		{anonymous, "deletes a relation", remove(path), denied},
	})
}

// The rule asks "uid in followers" of the query's own constraint, so the length of the arrays does not count
// against the 1,000 expressions that a request may evaluate.
func TestFeedOfFullRelations(t *testing.T) {
	const (
		perRelation = 10_000
		relations   = 3
	)
	project := newWorld(t)
	admin := dial(t, project, owner)
	ids := make([]string, perRelation)
	for i := range ids {
		ids[i] = fmt.Sprintf("u%027d", i) // as long as a Firebase uid
	}
	ids[perRelation-1] = string(carol)
	for i := range relations {
		path := fmt.Sprintf("_relations/full_%05d", i+1)
		if err := set(path, with("_relations/hello_00001", "followers", ids))(t.Context(), admin); err != nil {
			t.Fatalf("set %s: %v", path, err)
		}
	}

	for _, u := range []user{carol, bob} {
		t.Run("read by "+string(u)+" as carol's feed", func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			start := time.Now()
			found, err := feed(carol, 50)(dial(t, project, u)).Documents(ctx).GetAll()
			t.Logf("%d relations of %d ids in %v", len(found), perRelation, time.Since(start).Round(time.Millisecond))
			got, ok := judge(err)
			switch {
			case !ok:
				t.Fatalf("neither allowed nor denied: %v", err)
			case u == carol && (got != allowed || len(found) != relations):
				t.Errorf("%s with %d relations, want %s with %d (answer: %v)", got, len(found), allowed, relations, err)
			case u != carol && got != denied:
				t.Errorf("%s, want %s", got, denied)
			}
		})
	}
}
