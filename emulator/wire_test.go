package emulator

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"
)

// eventBody is the protobuf of the creation of a document.
func eventBody(tb testing.TB, name string) []byte {
	tb.Helper()
	body, err := proto.Marshal(&firestoredata.DocumentEventData{Value: &firestoredata.Document{Name: name}})
	if err != nil {
		tb.Fatal(err)
	}
	return body
}

func inBase64(raw []byte) []byte { return []byte(base64.StdEncoding.EncodeToString(raw)) }

// emulatorHeader is what the emulator 1.19.9 sends, less what Go's server takes away.
func emulatorHeader(document string) http.Header {
	return http.Header{
		"Ce-Specversion":     {"1.0"},
		"Ce-Type":            {"google.cloud.firestore.document.v1.written"},
		"Ce-Source":          {"//firestore.googleapis.com/projects/projects/demo-a/databases/(default)"},
		"Ce-Id":              {"d2ce6849-baa0-47f8-90d8-f4027bb5ac1d"},
		"Ce-Subject":         {"documents/" + document},
		"Ce-Time":            {"2026-11-20T09:29:14Z"},
		"Ce-Datacontenttype": {"application/protobuf"},
		"Ce-Dataschema":      {"https://github.com/googleapis/google-cloudevents/blob/main/proto/google/events/cloud/firestore/v1/data.proto"},
		"Ce-Location":        {"us-central1"},
		"Ce-Project":         {"demo-a"},
		"Ce-Database":        {"(default)"},
		"Ce-Namespace":       {"(default)"},
		"Ce-Document":        {document},
		"Content-Type":       {"application/protobuf"},
		"Accept-Encoding":    {"gzip"},
		"User-Agent":         {"Google-HTTP-Java-Client/unknown-version (gzip)"},
	}
}

func TestRepair(t *testing.T) {
	const name = `projects/demo-a/databases/(default)/documents/users/a "b" 50%2F é `
	raw := eventBody(t, name)
	want := &message{
		event: Event{
			ID:       "d2ce6849-baa0-47f8-90d8-f4027bb5ac1d",
			Type:     "google.cloud.firestore.document.v1.written",
			Source:   "//firestore.googleapis.com/projects/demo-a/databases/(default)",
			Subject:  `documents/users/a "b" 50%2F é `,
			Document: `users/a "b" 50%2F é `,
			Project:  "demo-a",
			Database: "(default)",
			Change:   Created,
			Time:     time.Date(2026, 11, 20, 9, 29, 14, 0, time.UTC),
		},
		header: http.Header{
			"Ce-Specversion": {"1.0"},
			"Ce-Type":        {"google.cloud.firestore.document.v1.written"},
			"Ce-Source":      {"//firestore.googleapis.com/projects/demo-a/databases/(default)"},
			"Ce-Id":          {"d2ce6849-baa0-47f8-90d8-f4027bb5ac1d"},
			"Ce-Subject":     {"documents/users/a%20%22b%22%2050%252F%20%C3%A9%20"},
			"Ce-Time":        {"2026-11-20T09:29:14Z"},
			"Ce-Dataschema":  {"https://github.com/googleapis/google-cloudevents/blob/main/proto/google/events/cloud/firestore/v1/data.proto"},
			"Ce-Location":    {"us-central1"},
			"Ce-Project":     {"demo-a"},
			"Ce-Database":    {"(default)"},
			"Ce-Namespace":   {"(default)"},
			"Ce-Document":    {"users/a%20%22b%22%2050%252F%20%C3%A9%20"},
			"Content-Type":   {"application/protobuf"},
		},
		body: raw,
	}
	sameMessage := cmp.AllowUnexported(message{})

	header := emulatorHeader(`users/a "b" 50%2F é`) // a server drops the blank at the end
	got, _, err := repair(header, inBase64(raw))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, sameMessage); diff != "" {
		t.Errorf("what the emulator sends (-want +got):\n%s", diff)
	}
	got, _, err = repair(want.header, raw)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, sameMessage); diff != "" {
		t.Errorf("what production sends (-want +got):\n%s", diff)
	}
}

func TestChange(t *testing.T) {
	doc := &firestoredata.Document{Name: "projects/p/databases/d/documents/users/ada"}
	for want, data := range map[Change]*firestoredata.DocumentEventData{
		Created: {Value: doc},
		Updated: {OldValue: doc, Value: doc},
		Deleted: {OldValue: doc},
	} {
		if got := changeOf(data); got != want {
			t.Errorf("the change of %v is %s, want %s", data, got, want)
		}
	}
}

func TestRepairOfADeletion(t *testing.T) {
	body, err := proto.Marshal(&firestoredata.DocumentEventData{
		OldValue: &firestoredata.Document{Name: "projects/p/databases/d/documents/users/ada"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range [][]byte{body, inBase64(body)} {
		m, _, err := repair(emulatorHeader("users/ada"), body)
		if err != nil {
			t.Fatal(err)
		}
		if m.event.Document != "users/ada" || m.event.Database != "d" || m.event.Project != "p" {
			t.Errorf("the event is %+v", m.event)
		}
	}
}

func TestRepairRejects(t *testing.T) {
	good := inBase64(eventBody(t, "projects/p/databases/d/documents/users/ada"))
	tests := []struct {
		name   string
		header http.Header
		body   []byte
	}{
		{"nothing", emulatorHeader("a/b"), nil},
		{"text", emulatorHeader("a/b"), []byte("hello, this is no event")},
		{"half of it", emulatorHeader("a/b"), good[:len(good)/2]},
		{"base64 of something else", emulatorHeader("a/b"), inBase64([]byte("hello"))},
		{"a document without a name", emulatorHeader("a/b"), inBase64(eventBody(t, ""))},
		{"a name that is not a document's", emulatorHeader("a/b"), inBase64(eventBody(t, "projects/p/databases/d"))},
		{"a name that is not text", emulatorHeader("a/b"), []byte("\x0a\x03\x0a\x01\xff")},
		{"no id", http.Header{"Ce-Type": {"t"}}, good},
		{"no type", http.Header{"Ce-Id": {"i"}}, good},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if m, _, err := repair(tt.header, tt.body); !errors.Is(err, errMalformed) {
				t.Errorf("got %+v, %v, want errMalformed", m, err)
			}
		})
	}
}

func TestPercentEncode(t *testing.T) {
	for in, want := range map[string]string{
		"":                                      "",
		"users/ada":                             "users/ada",
		"a b":                                   "a%20b",
		`q"uote`:                                "q%22uote",
		"100%":                                  "100%25",
		"a%2Fb":                                 "a%252Fb",
		"é":                                     "%C3%A9",
		"日本":                                    "%E6%97%A5%E6%9C%AC",
		"😀":                                     "%F0%9F%98%80",
		"\x00\t\n\x7f":                          "%00%09%0A%7F",
		"!#$&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~": "!#$&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~",
	} {
		if got := percentEncode(in); got != want {
			t.Errorf("percentEncode(%q) = %q, want %q", in, got, want)
		}
	}
	t.Run("decodes back, and is visible ASCII", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "s"))
			encoded := percentEncode(s)
			for _, c := range []byte(encoded) {
				if c <= ' ' || c > '~' || c == '"' {
					t.Fatalf("%q has %q", encoded, c)
				}
			}
			if got, err := url.PathUnescape(encoded); err != nil || got != s {
				t.Fatalf("%q decodes to %q, %v, want %q", encoded, got, err, s)
			}
		})
	})
}

func FuzzRepair(f *testing.F) {
	name := "projects/demo-a/databases/(default)/documents/users/a b"
	f.Add("id", "type", "users/a b", "2026-11-20T09:29:14Z", inBase64(eventBody(f, name)))
	f.Add("id", "type", "users/a%20b", "", eventBody(f, name))
	f.Add("id", "", "é", "yesterday", eventBody(f, "projects/p/databases/d/documents/a/b"))
	f.Add("", "type", "", "", []byte("CgA="))
	f.Add("id", "type", "", "", []byte("GgA="))
	f.Add("a\x00", "type", "\n", "\xff", []byte{0x0a, 0x00})
	f.Fuzz(func(t *testing.T, id, eventType, document, at string, body []byte) {
		header := http.Header{
			"Ce-Id": {id}, "Ce-Type": {eventType}, "Ce-Document": {document}, "Ce-Subject": {"documents/" + document},
			"Ce-Time": {at}, "Ce-Empty": {}, "Ce-Datacontenttype": {"application/protobuf"},
		}
		before := bytes.Clone(body)
		m, data, err := repair(header, body)
		if !bytes.Equal(before, body) {
			t.Fatal("the body was changed")
		}
		if err != nil {
			if !errors.Is(err, errMalformed) && !errors.Is(err, errNoChange) || m != nil || data != nil {
				t.Fatalf("got %v and %v with error %v", m, data, err)
			}
			return
		}
		for key, values := range m.header {
			if len(values) != 1 || !printable(values[0]) {
				t.Errorf("header %s: %q", key, values)
			}
		}
		// A repaired event looks like production's, so it is not changed again.
		again, _, err := repair(m.header, m.body)
		if err != nil {
			t.Fatalf("repaired, it is refused: %v", err)
		}
		if diff := cmp.Diff(m.header, again.header); diff != "" {
			t.Errorf("repaired again (-once +twice):\n%s", diff)
		}
		if !bytes.Equal(m.body, again.body) {
			t.Errorf("repaired again, the body is %q, want %q", again.body, m.body)
		}
		if m.event.Document != again.event.Document || m.event.Source != again.event.Source {
			t.Errorf("repaired again, the event is %+v, want %+v", again.event, m.event)
		}
	})
}
