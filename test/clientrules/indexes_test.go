//go:build long

package clientrules

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	"example.com/relationindex/emulator/guard"
	"example.com/relationindex/internal/indexfile"
)

func readIndexes(t *testing.T) *indexfile.File {
	t.Helper()
	data, err := os.ReadFile(indexesFile)
	if err != nil {
		t.Fatal(err)
	}
	file, err := indexfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Indexes) == 0 || len(file.Overrides) == 0 {
		t.Fatalf("%s: %d indexes and %d field overrides, want some of both", indexesFile, len(file.Indexes), len(file.Overrides))
	}
	return file
}

func TestIndexFile(t *testing.T) {
	file := readIndexes(t)
	for _, x := range file.Indexes {
		if x.Scope != indexfile.Collection {
			t.Errorf("%s %v: want the scope COLLECTION", x.Group, x)
		}
	}
	ttl := map[string]string{}
	for _, o := range file.Overrides {
		if o.TTL {
			ttl[o.Group] = o.Path
		}
		inside := strings.Contains(o.Path, ".") // a map that has none
		fewer := len(o.Indexes) == 1            // of those that Firestore makes by itself: up, down, and of an array its elements
		if o.Indexes == nil || len(o.Indexes) > 0 && !inside && !fewer && !slices.ContainsFunc(o.Indexes, func(x indexfile.Index) bool { return x.Scope == indexfile.CollectionGroup }) {
			t.Errorf(`%s.%s: want "indexes": [], one alone, one of the scope COLLECTION_GROUP, or a field inside a map`, o.Group, o.Path)
		}
	}
	if want := map[string]string{"_functions": "expireAt", "_relations": "expireAt", "timeline": "expireAt", "notifications": "expireAt", "_purging": "expireAt"}; !maps.Equal(ttl, want) {
		t.Errorf("TTLs are on %v, want %v", ttl, want)
	}
}

// queries are those of the package comment.
func queries(client *firestore.Client) map[string]firestore.Query {
	relations, posts, jobs := client.Collection("_relations"), client.Collection("posts"), client.Collection("_functions")
	byName := func(q firestore.Query) firestore.Query { return q.OrderBy(firestore.DocumentID, firestore.Asc) }
	return map[string]firestore.Query{
		"feed":               relations.Where("followers", "array-contains", "r").OrderBy("createdAt", firestore.Desc).Limit(50),
		"feed, page by page": relations.Where("followers", "array-contains", "r").OrderBy("createdAt", firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc).Limit(50),
		"redaction":          jobs.Where("error.words", "array-contains", "u"),
		"jobs of an account": byName(jobs.WhereEntity(firestore.OrFilter{Filters: []firestore.EntityFilter{
			firestore.PropertyFilter{Path: "args.account", Operator: "==", Value: "u"}, firestore.PropertyFilter{Path: "args.author", Operator: "==", Value: "u"},
			firestore.PropertyFilter{Path: "args.reader", Operator: "==", Value: "u"},
		}})),
		"sync":              relations.Where("audience", "==", "u").Where("indexId", "==", "i").Where("indexVersion", "<", 7),
		"refresh":           byName(relations.Query).StartAt("p_").EndBefore("p`"),
		"verify, relations": relations.OrderBy("userId", firestore.Asc),
		"purge": byName(relations.WhereEntity(firestore.OrFilter{Filters: []firestore.EntityFilter{
			firestore.PropertyFilter{Path: "userId", Operator: "==", Value: "u"}, firestore.PropertyFilter{Path: "audience", Operator: "==", Value: "u"},
		}})),
		"feed, to the horizon":    relations.Where("followers", "array-contains", "r").Where("createdAt", ">", 7).OrderBy("createdAt", firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc).Limit(50),
		"backfill to the horizon": posts.Where("userId", "==", "u").Where("createdAt", ">=", 7).OrderBy("createdAt", firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc),
		"backfill of a group to the horizon": posts.WhereEntity(firestore.OrFilter{Filters: []firestore.EntityFilter{
			firestore.PropertyFilter{Path: "audience", Operator: "==", Value: "g_u"}, firestore.PropertyFilter{Path: "userId", Operator: "==", Value: "g_u"},
		}}).Where("createdAt", ">=", 7).OrderBy("createdAt", firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc),
		"backfill": byName(posts.Where("userId", "==", "u")),
		"backfill of a group": byName(posts.WhereEntity(firestore.OrFilter{Filters: []firestore.EntityFilter{
			firestore.PropertyFilter{Path: "audience", Operator: "==", Value: "g_u"}, firestore.PropertyFilter{Path: "userId", Operator: "==", Value: "g_u"},
		}})),
		"pull, by audience":          posts.Where("audience", "in", []string{"u", "v"}).Where("createdAt", "<=", 7).OrderBy("createdAt", firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc).Limit(20),
		"pull, by author":            posts.Where("userId", "in", []string{"u", "v"}).Where("createdAt", "<=", 7).OrderBy("createdAt", firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc).Limit(20),
		"pull, by name":              posts.Where("to", "array-contains", "u").Where("createdAt", "<=", 7).OrderBy("createdAt", firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc).Limit(20),
		"mentions by an author":      posts.Where("to", "array-contains", "u").Where("userId", "==", "v").Where("createdAt", "<=", 7).OrderBy("createdAt", firestore.Desc).Limit(5),
		"a slice":                    posts.Where("refs", "array-contains", "x").OrderBy("createdAt", firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc).Limit(20),
		"a client's slice":           posts.Where("refs", "array-contains", "x").Where("audience", "==", "g_u").Where("hidden", "==", false).OrderBy("createdAt", firestore.Desc).Limit(20),
		"requests of one":            byName(client.CollectionGroup("requests").Where("followerId", "==", "u")),
		"timelines with a post":      byName(client.CollectionGroup("timeline").Where("posts", "array-contains", "p")),
		"buckets with a post":        byName(client.Collection("users/u/timeline").Where("posts", "array-contains", "p")),
		"settings of an account":     byName(client.Collection("users/u/settings").Where(firestore.DocumentID, "in", []*firestore.DocumentRef{client.Doc("users/u/settings/feed"), client.Doc("users/u/settings/read")})),
		"comments of an account":     byName(client.CollectionGroup("comments").Where("userId", "==", "u")),
		"timeline with one of many":  byName(client.Collection("users/r/timeline").Where("accounts", "array-contains-any", []string{"u", "v"})),
		"rebuild, groups":            posts.Where("audience", "in", []string{"g_u", "g_v"}).Where("createdAt", ">=", time.Time{}).OrderBy("createdAt", firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc),
		"rebuild, people":            posts.Where("userId", "in", []string{"u", "v"}).Where("createdAt", ">=", time.Time{}).OrderBy("createdAt", firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc),
		"rebuild, names":             posts.Where("to", "array-contains", "u").Where("createdAt", ">=", time.Time{}).OrderBy("createdAt", firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc),
		"timelines with an account":  byName(client.CollectionGroup("timeline").Where("accounts", "array-contains", "u")),
		"a timeline with an account": byName(client.Collection("users/u/timeline").Where("accounts", "array-contains", "u")),
		"a timeline of items":        client.Collection("users/u/timeline").OrderBy("at", firestore.Desc).Limit(20),
		"items beyond the cap":       client.Collection("users/u/timeline").OrderBy("at", firestore.Asc).Limit(100),
		"a timeline of days":         client.Collection("users/u/timeline").OrderBy("day", firestore.Desc).Limit(3),

		"the app, an audience": posts.Where("audience", "==", "g_u").Where("hidden", "==", false).OrderBy("createdAt", firestore.Desc).Limit(20),
		"adopt":                posts.Where("userId", "in", []string{"u", "v"}),
		"jobs":                 jobs.Where("state", "in", []string{"queued", "running"}),
		"sweep":                jobs.Where("wakeAt", "<=", 7).Where("wakeAt", ">=", 3).OrderBy("wakeAt", firestore.Asc),
		"sweep, a long line":   jobs.Where("sweepAt", "<=", 7).OrderBy("sweepAt", firestore.Asc),
		"jobs that wait":       byName(jobs.Where("state", "==", "queued").Where("waits", "==", true)),
		"an owner's next job":  jobs.Where("kind", "==", "k").Where("owner", "==", "o").Where("state", "==", "queued").Where("wakeAt", "<=", 7).OrderBy("wakeAt", firestore.Asc),
		"jobs list":            jobs.OrderBy("updatedAt", firestore.Desc),
		"jobs of a name":       byName(jobs.Query).StartAt("post:").EndBefore("post;"),
		"verify, followers":    byName(client.CollectionGroup("followers").Query),
		"verify, edges":        byName(client.CollectionGroup("following").Query),
		"verify, index":        byName(client.CollectionGroup("followers_index").Query),
		"a client's following": byName(client.Collection("users/u/following").Query),
		"the app, a profile":   posts.Where("userId", "==", "u").OrderBy("createdAt", firestore.Desc).Limit(20),
		"the app, following":   client.Collection("users/u/following").OrderBy("createdAt", firestore.Desc).Limit(20),
		"the app, followers":   client.Collection("users/u/followers").OrderBy("createdAt", firestore.Desc).Limit(20),
		"the app, requests":    client.Collection("users/u/requests").OrderBy("createdAt", firestore.Desc).Limit(20),
		"the app, joined":      byName(client.Collection("users/u/following").Query).StartAt("g_").EndAt("g_\uf8ff").Limit(20),
		"the app, owned":       byName(client.Collection("users").Where("ownerId", "==", "u")).Limit(20),
		"the app, a moderator": posts.Where("audience", "==", "u").Where("hidden", "in", []bool{false, true}).OrderBy("createdAt", firestore.Desc).Limit(20),
		"the app, comments":    client.Collection("posts/p/comments").Where("thread", "==", "u/g_u").OrderBy("createdAt", firestore.Desc).Limit(20),
		"a count of comments":  client.Collection("posts/p/comments").Where("thread", "==", "u/g_u").Limit(50),
		"likes of an account":  byName(client.CollectionGroup("likes").Where("userId", "==", "u")),
		"the app, its likes":   client.CollectionGroup("likes").Where("userId", "==", "u").Where("postId", "in", []string{"p", "q"}).Limit(50),
		"the app, likes":       client.Collection("posts/p/likes").OrderBy("createdAt", firestore.Desc).Limit(50),
		"the app, news":        client.Collection("users/u/notifications").OrderBy("at", firestore.Desc).Limit(20),
		"a count of news":      client.Collection("users/u/notifications").Where("at", ">", 7).Limit(100),
		"a sum of followers":   client.Collection("users/u/followers_index").Query,
		"news of an actor":     byName(client.Collection("users/u/notifications").Where("actors", "array-contains", "v")),
		"followers of a day":   client.Collection("users/u/followers").Where("createdAt", ">=", 7).Where("createdAt", "<", 8).OrderBy("createdAt", firestore.Desc).Limit(6),
		"who commented":        client.Collection("posts/p/comments").Where("thread", "==", "u/u").Where("createdAt", "<=", 7).OrderBy("createdAt", firestore.Desc).Limit(6),
		"one's own comments":   client.Collection("posts/p/comments").Where("thread", "==", "u/u").Where("userId", "==", "u"),
		"a count of posts":     posts.Where("audience", "==", "u").Where("hidden", "==", false),
		"the app, blocked":     client.Collection("users/u/blocked").OrderBy("createdAt", firestore.Desc).Limit(20),
		"the app, people":      client.Collection("users").OrderBy("nameLower", firestore.Asc).Limit(20),
		"the app, search":      client.Collection("users").OrderBy("nameLower", firestore.Asc).StartAt("a").EndAt("a\U0010ffff").Limit(20),
	}
}

// refused are the queries that a file does not serve, with the guard's words.
func refused(t *testing.T, file *indexfile.File) map[string]error {
	t.Helper()
	g, err := guard.Parse([]byte(text(file)))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient("passthrough:///127.0.0.1:1", grpc.WithTransportCredentials(insecure.NewCredentials())) // never used
	if err != nil {
		t.Fatal(err)
	}
	client, err := firestore.NewClient(t.Context(), "demo-indexes", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	found := map[string]error{}
	for name, q := range queries(client) {
		data, err := q.Serialize()
		if err != nil {
			t.Fatal(err)
		}
		var req pb.RunQueryRequest
		if err := proto.Unmarshal(data, &req); err != nil {
			t.Fatal(err)
		}
		if err := g.Indexes.Check(req.GetParent(), req.GetStructuredQuery(), sums(name)); err != nil {
			found[name] = err
		}
	}
	return found
}

// sums are the aggregations of a query that does not return documents.
func sums(name string) []*pb.StructuredAggregationQuery_Aggregation {
	if name != "a sum of followers" {
		return nil
	}
	field := &pb.StructuredQuery_FieldReference{FieldPath: "count"}
	return []*pb.StructuredAggregationQuery_Aggregation{{
		Operator: &pb.StructuredAggregationQuery_Aggregation_Sum_{Sum: &pb.StructuredAggregationQuery_Aggregation_Sum{Field: field}},
	}}
}

// text is a file as JSON.
func text(file *indexfile.File) string {
	var indexes, overrides []string
	for _, x := range file.Indexes {
		indexes = append(indexes, x.JSON())
	}
	for _, o := range file.Overrides {
		var fields []string
		for _, x := range o.Indexes {
			how := "order"
			if x.Fields[0].Mode == indexfile.Contains {
				how = "arrayConfig"
			}
			fields = append(fields, fmt.Sprintf(`{%q: %q, "queryScope": %q}`, how, x.Fields[0].Mode, x.Scope))
		}
		overrides = append(overrides, fmt.Sprintf(`{"collectionGroup": %q, "fieldPath": %q, "indexes": [%s]}`, o.Group, o.Path, strings.Join(fields, ",")))
	}
	return `{"indexes": [` + strings.Join(indexes, ",") + `], "fieldOverrides": [` + strings.Join(overrides, ",") + `]}`
}

func TestEveryQueryHasItsIndex(t *testing.T) {
	for name, err := range refused(t, readIndexes(t)) {
		t.Errorf("%s: %v", name, err)
	}
}

// Each composite has a query that nothing else serves, and each field that is
// queried by its automatic index, or by one of them that the file names, keeps it.
func TestEveryIndexHasItsQuery(t *testing.T) {
	file := readIndexes(t)
	for i, x := range file.Indexes {
		without := &indexfile.File{Indexes: slices.Delete(slices.Clone(file.Indexes), i, i+1), Overrides: file.Overrides}
		if len(refused(t, without)) == 0 {
			t.Errorf("without the composite %v of %s every query is still served: it costs entries for nothing", x, x.Group)
		}
	}
	for _, field := range []string{"_relations.userId", "_relations.audience", "posts.userId", "posts.audience", "_functions.state", "_functions.wakeAt", "_functions.sweepAt", "_functions.waits", "_functions.updatedAt",
		"timeline.at", "timeline.day", "following.createdAt", "followers.createdAt", "blocked.createdAt", "likes.createdAt", "notifications.at", "notifications.actors", "followers_index.count", "users.nameLower"} {
		group, path, _ := strings.Cut(field, ".")
		exempt := indexfile.Override{Group: group, Path: path, Indexes: []indexfile.Index{}}
		others := slices.DeleteFunc(slices.Clone(file.Overrides), func(o indexfile.Override) bool { return o.Group == group && o.Path == path })
		with := &indexfile.File{Indexes: file.Indexes, Overrides: append(others, exempt)}
		if len(refused(t, with)) == 0 {
			t.Errorf("with %s exempted every query is still served: exempt it", field)
		}
	}
}
