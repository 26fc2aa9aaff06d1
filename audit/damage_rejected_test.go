package audit_test

import (
	"errors"
	"slices"
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// rejections are about writes that Firestore rejects: they affect only themselves.
func rejections() map[string]policy {
	rows := map[string]policy{
		"relations that a repair cannot write": {
			damage: append(emptied(), set("_relations/stray", fields{
				"postId": "p0", "userId": "author", "audience": "author", "indexId": "00001", "createdAt": stories.Day, "followers": []string{"x"},
			})),
			then: []step{rejectedRepair("_relations/p0_00001")}, sees: feeds{"r00 r01": "p1"}, repair: repaired,
		},
		"a relation without room for copies": withoutRoom(),
		"a deletion of a relation that is rejected": {
			refuses: func(req any) bool {
				commit, ok := req.(*pb.CommitRequest)
				return ok && strings.HasPrefix(relationOf(commit), "p1_") && (len(commit.GetWrites()) > 1 || relationOf(commit) == "p1_00003")
			},
			then: []step{gone("posts/p1"), settled, again("OnPostWritten", "posts/p1")},
			told: []string{"_relations/p1_00003"}, sees: feeds{"r04 r05": "p0 p1"},
		},
	}
	for name, cfg := range jobs {
		rows["a rejected relation of a post"+name] = policy{
			cfg: cfg, refuses: testkit.CommitOf("_relations/p2_00002"),
			then: []step{p2, settled, again("OnPostWritten", "posts/p2")}, told: []string{"_relations/p2_00002"}, sees: feeds{"r02 r03": "p0 p1"},
		}
		rows["a rejected relation of a new index document"+name] = policy{
			cfg: cfg, before: []step{p2, written("p3", 3), written("p4", 4)}, refuses: testkit.CommitOf("_relations/p0_00007"),
			then: []step{follow("author", "new0"), settled, follow("author", "new1")}, told: []string{"_relations/p0_00007"}, sees: feeds{"new0 new1": "p1 p2 p3 p4"},
		}
		rows["a rejected relation of who leave"+name] = policy{
			cfg: cfg, before: []step{p2, written("p3", 3), written("p4", 4)}, refuses: testkit.CommitOf("_relations/p0_00002"),
			then: []step{unfollow("author", "r02"), settled, unfollow("author", "r03")}, told: []string{"_relations/p0_00002"}, sees: feeds{"r02 r03": "p0"},
		}
	}
	return rows
}

// emptied takes the followers out of all relations.
func emptied() (changes []step) {
	for _, i := range numbered("%05d", 7)[1:] {
		for _, p := range []string{"p0", "p1"} {
			changes = append(changes, merge("_relations/"+p+"_"+i, fields{"followers": []string{}}))
		}
	}
	return changes
}

// rejectedRepair is a repair of everything whose write of a relation Firestore rejects: it names the relation, and does all
// the rest.
func rejectedRepair(relation string) step {
	return func(a *testkit.App) {
		_, err := repair.New(a.Instance(testkit.Refusing(testkit.CommitOf(relation)))).Repair(a.T.Context(), "", nil, nil)
		if !errors.Is(err, schema.ErrDamaged) || !strings.Contains(err.Error(), relation) {
			a.T.Errorf("repair ends with %v, want %s", err, relation)
		}
		if n := a.Count("_relations"); n != 12 {
			a.T.Errorf("%d relations, want the stray one deleted", n)
		}
	}
}

// relationOf is the name of the relation that a commit writes or deletes first: "p1_00003".
func relationOf(commit *pb.CommitRequest) string {
	if len(commit.GetWrites()) == 0 {
		return ""
	}
	write := commit.GetWrites()[0]
	_, name, _ := strings.Cut(write.GetUpdate().GetName()+write.GetDelete(), "/_relations/")
	return name
}

// withoutRoom is about a relation with room for its followers, and not for what is copied. It is written without copies,
// for a new post, an edit, and when it is copied again. A repair ends, and says what is left.
func withoutRoom() policy {
	copies := func(req any) bool {
		commit, _ := req.(*pb.CommitRequest)
		return slices.ContainsFunc(commit.GetWrites(), func(write *pb.Write) bool {
			_, copied := write.GetUpdate().GetFields()["text"]
			return copied && strings.HasSuffix(write.GetUpdate().GetName(), "/_relations/p2_00002")
		})
	}
	want := func(text string) step {
		return func(a *testkit.App) {
			for i, full := range map[string]bool{"00001": false, "00002": true} {
				if got := a.Data("_relations/p2_" + i)["text"]; full && got != nil || !full && got != text {
					a.T.Errorf("the relation of %s has the text %v, and the post has %s", i, got, text)
				}
			}
		}
	}
	return policy{
		cfg: schema.Config{CopiedFields: []string{"text"}}, refuses: copies,
		then: []step{p2, settled, want("text of p2"), merge("posts/p2", fields{"text": "new"}), settled, want("new"),
			merge(indexes+"00002", fields{"backfilled": false}), again("OnFollowerWritten", "users/author/followers/r02"), want("new")},
		also: func(a *testkit.App) {
			left, err := repair.New(a.Instance(testkit.Refusing(copies))).Repair(a.T.Context(), "", nil, nil)
			if err != nil || len(left.Left) != 1 || !strings.HasSuffix(left.Left[0].Document, "_relations/p2_00002") {
				a.T.Errorf("repair ends with %v, and leaves %v", err, left.Left)
			}
		}, repair: repaired,
	}
}
