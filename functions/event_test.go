package functions

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"

	"example.com/relationindex/schema"
)

func encode(t testing.TB, data *firestoredata.DocumentEventData) event.Event {
	t.Helper()
	raw, err := proto.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	return withData(t, raw)
}

func withData(t testing.TB, raw []byte) event.Event {
	t.Helper()
	e := event.New()
	if err := e.SetData("application/protobuf", raw); err != nil {
		t.Fatal(err)
	}
	return e
}

func document(path string, fields map[string]*firestoredata.Value) *firestoredata.Document {
	return &firestoredata.Document{Name: "projects/p/databases/(default)/documents/" + path, Fields: fields}
}

func TestDecodeEventTakesThePathFromTheName(t *testing.T) {
	for name, data := range map[string]*firestoredata.DocumentEventData{
		"created":                      {Value: document("users/a b/followers/x%2F é", nil)},
		"updated":                      {Value: document("users/a b/followers/x%2F é", nil), OldValue: document("users/a b/followers/x%2F é", nil)},
		"deleted":                      {OldValue: document("users/a b/followers/x%2F é", nil)},
		"deleted, with an empty value": {Value: &firestoredata.Document{}, OldValue: document("users/a b/followers/x%2F é", nil)},
	} {
		c, err := decodeEvent(encode(t, data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ids, err := c.ids("users/{userId}/followers/{followerId}")
		if err != nil || !slices.Equal(ids, []string{"a b", "x%2F é"}) {
			t.Errorf("%s: ids %q, %v", name, ids, err)
		}
	}
}

func TestSamePost(t *testing.T) {
	text := func(s string) *firestoredata.Value {
		return &firestoredata.Value{ValueType: &firestoredata.Value_StringValue{StringValue: s}}
	}
	is := func(b bool) *firestoredata.Value {
		return &firestoredata.Value{ValueType: &firestoredata.Value_BooleanValue{BooleanValue: b}}
	}
	type fields = map[string]*firestoredata.Value
	for name, c := range map[string]struct {
		before, after fields
		want          bool
	}{
		"nothing":                {fields{"userId": text("ada")}, fields{"userId": text("ada")}, true},
		"filled in":              {fields{"userId": text("ada")}, fields{"userId": text("ada"), "audience": text("ada"), "hidden": is(false)}, true},
		"taken out again":        {fields{"userId": text("ada"), "audience": text("ada"), "hidden": is(false)}, fields{"userId": text("ada")}, true},
		"another audience":       {fields{"userId": text("ada")}, fields{"userId": text("ada"), "audience": text("g_a")}, false},
		"for nobody":             {fields{"userId": text("ada")}, fields{"userId": text("ada"), "audience": text("")}, false},
		"hidden":                 {fields{"userId": text("ada")}, fields{"userId": text("ada"), "hidden": is(true)}, false},
		"another author, filled": {fields{"userId": text("ada")}, fields{"userId": text("bob"), "audience": text("ada")}, false},
		"recipients":             {fields{"userId": text("ada")}, fields{"userId": text("ada"), "to": text("bob")}, false},
		"a copied field":         {fields{"userId": text("ada")}, fields{"userId": text("ada"), "text": text("x")}, false},
		"a field not copied":     {fields{"userId": text("ada")}, fields{"userId": text("ada"), "refs": text("x")}, true},
	} {
		got := change{before: document("posts/p", c.before), after: document("posts/p", c.after)}.samePost([]string{"text"})
		if got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if (change{after: document("posts/p", nil)}).samePost(nil) {
		t.Error("a new post is the same")
	}
}

func TestUnchanged(t *testing.T) {
	text := func(s string) map[string]*firestoredata.Value {
		return map[string]*firestoredata.Value{"text": {ValueType: &firestoredata.Value_StringValue{StringValue: s}}}
	}
	for _, c := range []struct {
		name          string
		before, after *firestoredata.Document
		want          bool
	}{
		{"the same", document("posts/p", text("a")), document("posts/p", text("a")), true},
		{"another value", document("posts/p", text("a")), document("posts/p", text("b")), false},
		{"a field that comes", document("posts/p", nil), document("posts/p", text("b")), false},
		{"a field that goes", document("posts/p", text("a")), document("posts/p", nil), false},
		{"created", nil, document("posts/p", text("a")), false},
		{"deleted", document("posts/p", text("a")), nil, false},
	} {
		if got := (change{before: c.before, after: c.after}).unchanged([]string{"text", "other"}); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func FuzzDecodeEvent(f *testing.F) {
	for _, data := range []*firestoredata.DocumentEventData{
		{Value: document("users/a/followers/b", nil)},
		{OldValue: document("posts/p", map[string]*firestoredata.Value{"userId": {ValueType: &firestoredata.Value_StringValue{StringValue: "u"}}})},
		{Value: &firestoredata.Document{Name: "users/a"}},
		{},
	} {
		raw, err := proto.Marshal(data)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw, "users/{userId}/followers/{followerId}")
		f.Add(raw, "posts/{postId}")
	}
	f.Fuzz(func(t *testing.T, raw []byte, pattern string) {
		c, err := decodeEvent(withData(t, raw))
		if err != nil {
			if !errors.Is(err, errMalformed) {
				t.Fatalf("error %v is not errMalformed", err)
			}
			return
		}
		if c.before == nil && c.after == nil || len(c.path) == 0 {
			t.Fatalf("decoded to %+v", c)
		}
		c.unchanged([]string{"userId"})
		ids, err := c.ids(pattern)
		if err != nil {
			if !errors.Is(err, errMalformed) && !errors.Is(err, schema.ErrBadID) {
				t.Fatalf("error %v is neither errMalformed nor schema.ErrBadID", err)
			}
			return
		}
		for _, id := range ids {
			if id == "" || strings.Contains(id, "/") {
				t.Fatalf("id %q of path %q", id, c.path)
			}
		}
	})
}
