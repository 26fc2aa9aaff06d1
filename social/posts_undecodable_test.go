package social_test

import (
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/relationindex/accounts"
	"example.com/relationindex/audit/repair"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

func mapOf(name string, v *pb.Value) *pb.Value {
	return &pb.Value{ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: map[string]*pb.Value{name: v}}}}
}

func arrayOf(v ...*pb.Value) *pb.Value {
	return &pb.Value{ValueType: &pb.Value_ArrayValue{ArrayValue: &pb.ArrayValue{Values: v}}}
}

func textValue(text string) *pb.Value {
	return &pb.Value{ValueType: &pb.Value_StringValue{StringValue: text}}
}

// wantVerifiedBy checks every invariant as an instance sees them.
func wantVerifiedBy(a *testkit.App, interceptors ...wire.Interceptor) {
	a.T.Helper()
	report := func(v verify.Violation) { a.T.Errorf("verify: %v", v) }
	if _, err := verify.New(a.Instance(interceptors...)).All(a.T.Context(), report, nil); err != nil {
		a.T.Error(err)
	}
}

// Whatever handles a post, a profile, or a follow that the library cannot decode
// does it on goroutines of its own: a panic there would end this process.
func TestUndecodablePostCrashesNoProcess(t *testing.T) {
	t.Parallel()
	log := new(testkit.SyncBuffer)
	odd := testkit.Oddities(map[string]*pb.Value{"a database": testkit.ReferenceTo("projects/p/databases/d")})
	a := testkit.InProcess{Logger: logging.New(log, slog.LevelWarn), Interceptors: []wire.Interceptor{odd}}.NewApp(t, schema.Config{NoOwnPosts: true,
		CopiedFields: []string{"text", "odd"}, InlineLimit: 1, Chunk: 2, Capacity: 2,
		AuthorFields: []string{"name=authorName"},
	})
	with := func(fields map[string]any) map[string]any {
		fields = maps.Clone(fields)
		maps.Copy(fields, map[string]any{"odd": "a database", "elsewhere": []any{map[string]any{"deep": "a database"}}})
		return fields
	}
	a.Profile("author", with(map[string]any{"name": "Ada"}))
	a.Post("plain", "author", stories.Day)
	a.Must(a.Client.Doc("posts/bad").Set(t.Context(), with(map[string]any{"userId": "author", "createdAt": stories.Day.Add(time.Hour), "text": "t"})))
	for _, f := range []string{"r1", "r2", "r3"} { // two index documents: posts are jobs
		a.Must(a.Client.Doc("users/author/followers/"+f).Set(t.Context(), with(map[string]any{"createdAt": stories.Day})))
	}
	a.Settle()
	a.WantFeed("r1", "bad", "plain")
	a.WantFeed("r3", "bad", "plain")
	relation := a.Data("_relations/bad_00001")
	if _, copied := relation["odd"]; copied || relation["text"] != "t" {
		t.Errorf("the relation has text %v and odd %v, want the one and not the other", relation["text"], relation["odd"])
	}
	wantVerifiedBy(a, odd)

	a.Profile("author", map[string]any{"name": "a database"})
	a.Edit("bad", firestore.Update{Path: "text", Value: "edited"})
	a.Unfollow("r2", "author")
	a.Settle()
	if got := a.Data("_relations/bad_00001")["text"]; got != "edited" {
		t.Errorf("the relation's text is %v after an edit", got)
	}
	wantVerifiedBy(a, odd)
	if _, err := repair.New(a.Instance(odd)).Repair(t.Context(), "author", nil, nil); err != nil {
		t.Errorf("repair: %v", err)
	}
	if err := a.Instance(odd).Accounts.Traces(t.Context(), "r1", func(accounts.Trace) {}, nil); err == nil || !strings.Contains(err.Error(), "posts/bad: ") {
		t.Errorf("trace says %v, want that it could not decode posts/bad", err)
	}

	a.DeletePost("plain")
	a.DeleteAccount("author")
	a.Settle()
	if got := a.Count("_relations") + a.Count("posts"); got != 0 {
		t.Errorf("%d posts and relations are left of the account", got)
	}
	if strings.Contains(log.String(), "panic") {
		t.Errorf("something panicked: %s", log)
	}
}

func TestValuesThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	values := map[string]struct {
		value  *pb.Value
		copied bool
	}{
		"a text":                       {textValue("plain"), true},
		"a document":                   {testkit.ReferenceTo("projects/p/databases/d/documents/users/ada"), true},
		"a database":                   {testkit.ReferenceTo("projects/p/databases/d"), false},
		"all documents":                {testkit.ReferenceTo("projects/p/databases/d/documents"), false},
		"a collection":                 {testkit.ReferenceTo("projects/p/databases/d/documents/users"), false},
		"a document of a document":     {testkit.ReferenceTo("projects/p/databases/d/documents/users/ada/ada"), false},
		"a path with a hole":           {testkit.ReferenceTo("projects/p/databases/d/documents/users//x/y"), true}, // as null
		"no path":                      {testkit.ReferenceTo(""), false},
		"a database in an array":       {arrayOf(textValue("x"), testkit.ReferenceTo("projects/p/databases/d")), false},
		"a database in a map":          {mapOf("a", mapOf("b", testkit.ReferenceTo("projects/p/databases/d"))), false},
		"a vector that is none":        {mapOf("__type__", textValue("__vector__")), false},
		"an object id that is none":    {mapOf("__oid__", arrayOf()), false},
		"an expression that is none":   {mapOf("__regex__", textValue("x")), false},
		"binary data without a type":   {mapOf("__binary__", &pb.Value{ValueType: &pb.Value_BytesValue{}}), false},
		"a number of another database": {mapOf("__int__", textValue("seven")), false},
		"a time that is none":          {&pb.Value{ValueType: &pb.Value_TimestampValue{TimestampValue: &timestamppb.Timestamp{Seconds: 1 << 60}}}, false},
		"nothing":                      {&pb.Value{}, false},
	}
	odd := map[string]*pb.Value{}
	for name, v := range values {
		odd["odd: "+name] = v.value
	}
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, CopiedFields: []string{"text", "value"}}, testkit.Oddities(odd))
	a.Follow("reader", "author")
	a.Settle()
	id := func(name string) string { return strings.ReplaceAll(name, " ", "-") }
	for name := range values {
		a.Must(a.Client.Doc("posts/"+id(name)).Set(t.Context(), map[string]any{
			"userId": "author", "createdAt": stories.Day, "text": name, "value": "odd: " + name,
		}))
	}
	a.Settle()
	for name, v := range values {
		relation := a.Data("_relations/" + id(name) + "_00001")
		if _, copied := relation["value"]; copied != v.copied || relation["text"] != name {
			t.Errorf("%s: the relation's value is %v, and its text %v; copied should be %v", name, relation["value"], relation["text"], v.copied)
		}
	}
	wantVerifiedBy(a, testkit.Oddities(odd))
}
