package clientrules

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The people of the world that every cell finds.
const (
	alice user = "alice" // an author: one post, one follower
	bob   user = "bob"   // follows alice; nobody follows him
	carol user = "carol" // signed in, and has no document yet
	early user = "early" // has a follower already, and no profile yet
)

// stamp is a time that a client made up, and the createdAt of every document of the world.
var stamp = time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)

// world is what is stored before each cell, by path.
func world() map[string]fields {
	return map[string]fields{
		"users/alice": {
			"name":                 "Alice",
			"followers_index":      []string{"00001"},
			"latestFollowersIndex": "00001",
		},
		"users/alice/followers/bob":         {"createdAt": stamp},
		"users/alice/followers_index/00001": {"followers": []string{"bob"}, "count": 1, "version": 1},
		"users/bob":                         {"name": "Bob"},
		"users/bob/following/alice":         {"indexId": "00001", "createdAt": stamp},
		"posts/hello":                       {"userId": "alice", "createdAt": stamp, "text": "hello"},
		// The functions write the index fields of one who has followers and no profile.
		"users/early": {"followers_index": []string{"00001"}, "latestFollowersIndex": "00001"},
		// Written by a server: without a createdAt, and without an author.
		"posts/undated":    {"userId": "alice", "text": "when"},
		"posts/authorless": {"createdAt": stamp, "text": "who"},
		"_relations/hello_00001": {
			"postId": "hello", "userId": "alice", "indexId": "00001", "indexVersion": 1,
			"followers": []string{"bob"}, "createdAt": stamp,
		},
		"_functions/fanout:hello": {"kind": "fanout", "state": "queued", "args": fields{"postId": "hello"}},
	}
}

// A verdict is what the rules say of a request.
type verdict string

const (
	allowed verdict = "allowed"
	denied  verdict = "denied"
)

// A cell is one square of the permission table.
type cell struct {
	as   user
	name string // what the user does, in words that follow the user's name
	do   request
	want verdict
}

// check runs each cell in a world of its own.
func check(t *testing.T, cells []cell) {
	t.Helper()
	for _, c := range cells {
		who := string(c.as)
		if c.as == anonymous {
			who = "anonymous"
		}
		t.Run(who+" "+c.name, func(t *testing.T) {
			t.Parallel()
			project := newWorld(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err := c.do(ctx, dial(t, project, c.as))
			got, ok := judge(err)
			if !ok {
				t.Fatalf("neither allowed nor denied: %v", err)
			}
			if got != c.want {
				t.Errorf("%s, want %s (answer: %v)", got, c.want, err)
			}
		})
	}
}

// judge reads the verdict from a server's answer. An answer that is about the request and not about permission is
// neither, so that a malformed request cannot pass for a denied one.
func judge(err error) (_ verdict, ok bool) {
	switch status.Code(err) {
	case codes.OK:
		return allowed, true
	case codes.PermissionDenied:
		return denied, true
	default:
		return "", false
	}
}

var projects atomic.Int64

// newWorld stores the world in a project that no other test uses, and returns the project's id. A demo- project is
// one that cannot exist in production.
func newWorld(t *testing.T) string {
	t.Helper()
	project := fmt.Sprintf("demo-rules-%d", projects.Add(1))
	admin := dial(t, project, owner)
	err := admin.RunTransaction(t.Context(), func(_ context.Context, tx *firestore.Transaction) error {
		for path, data := range world() {
			if err := tx.Set(admin.Doc(path), data); err != nil {
				return fmt.Errorf("set %s: %w", path, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("store the world: %v", err)
	}
	return project
}

// with returns a copy of the world's document at path with one field changed.
func with(path, field string, value any) fields {
	data := world()[path]
	if data == nil {
		panic("no such document in the world: " + path)
	}
	data[field] = value
	return data
}

// without returns a copy of the world's document at path less some fields.
func without(path string, names ...string) fields {
	data := world()[path]
	if data == nil {
		panic("no such document in the world: " + path)
	}
	for _, name := range names {
		if _, ok := data[name]; !ok {
			panic(fmt.Sprintf("no field %s in %s of [%s]", name, path, strings.Join(names, " ")))
		}
		delete(data, name)
	}
	return data
}
