package emulator

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"
)

// Event is a change of one document, as [Options.Plan] sees it. Subject and Document are plain text here, not
// percent-encoded as in the request to the function.
type Event struct {
	ID       string    // unique per event; the same for each of its deliveries
	Type     string    // "google.cloud.firestore.document.v1.written"
	Source   string    // "//firestore.googleapis.com/projects/demo-a/databases/(default)"
	Subject  string    // "documents/users/ada"
	Document string    // "users/ada"
	Project  string    // "demo-a"
	Database string    // "(default)"
	Trigger  string    // Trigger.Name
	Change   Change    // what happened to the document, also where Type is "…written"
	Time     time.Time // of the change; zero if the emulator did not say
}

// Change is what happened to a document.
type Change string

// The changes.
const (
	Created Change = "created"
	Updated Change = "updated"
	Deleted Change = "deleted"
)

func changeOf(data *firestoredata.DocumentEventData) Change {
	switch {
	case data.GetOldValue() == nil:
		return Created
	case data.GetValue() == nil:
		return Deleted
	default:
		return Updated
	}
}

// message is an event as the function receives it. It is never changed: deliveries share it.
type message struct {
	event  Event
	header http.Header
	body   []byte // protobuf
}

// repair turns a request of the emulator into a request of production. The differences:
//
//   - The body is base64 text although its type says protobuf.
//   - ce-source has "projects/" twice.
//   - ce-subject and ce-document are not percent-encoded, and HTTP drops their blanks at the end. repair
//     makes both, and ce-source, from the document's name in the body.
//   - The deletion of a document that does not exist is an event, without a document; the error wraps errNoChange.
//   - ce-datacontenttype is there although the CloudEvents HTTP binding keeps it in Content-Type.
//
// A request that is as in production stays the same. repair also returns the decoded body. A message does not
// keep it, because it is several times as large. Any other error wraps errMalformed.
func repair(header http.Header, body []byte) (*message, *firestoredata.DocumentEventData, error) {
	raw, data, err := decodeBody(body)
	if err != nil {
		return nil, nil, err
	}
	project, database, document, _ := splitName(nameOf(data))
	m := &message{header: make(http.Header, len(header)), body: raw}
	m.event = Event{
		ID:       header.Get("Ce-Id"),
		Type:     header.Get("Ce-Type"),
		Source:   "//firestore.googleapis.com/projects/" + project + "/databases/" + database,
		Subject:  "documents/" + document,
		Document: document,
		Project:  project,
		Database: database,
		Change:   changeOf(data),
	}
	if m.event.ID == "" || m.event.Type == "" {
		return nil, nil, fmt.Errorf("%w: no ce-id or no ce-type", errMalformed)
	}
	if at, err := time.Parse(time.RFC3339, header.Get("Ce-Time")); err == nil {
		m.event.Time = at
	}
	for key, values := range header {
		if !strings.HasPrefix(key, "Ce-") || key == "Ce-Datacontenttype" || len(values) == 0 {
			continue
		}
		value := values[0]
		if !printable(value) {
			value = percentEncode(value)
		}
		m.header[key] = []string{value}
	}
	m.header.Set("Ce-Source", percentEncode(m.event.Source))
	m.header.Set("Ce-Subject", percentEncode(m.event.Subject))
	m.header.Set("Ce-Document", percentEncode(document))
	m.header.Set("Content-Type", "application/protobuf")
	return m, data, nil
}

// decodeBody returns the body as protobuf and in decoded form. No protobuf of this type is base64 text as well: its
// first byte is a field tag below 0x20.
func decodeBody(body []byte) ([]byte, *firestoredata.DocumentEventData, error) {
	if text, ok := decodeBase64(body); ok {
		if data, err := unmarshal(text); err == nil || errors.Is(err, errNoChange) {
			return text, data, err
		}
	}
	data, err := unmarshal(body)
	if err != nil {
		return nil, nil, err
	}
	return body, data, nil
}

func decodeBase64(text []byte) ([]byte, bool) {
	if len(text) == 0 || bytes.ContainsAny(text, "\r\n") { // the decoder would skip these
		return nil, false
	}
	enc := base64.StdEncoding.Strict()
	raw := make([]byte, enc.DecodedLen(len(text)))
	n, err := enc.Decode(raw, text)
	return raw[:n], err == nil
}

func unmarshal(raw []byte) (*firestoredata.DocumentEventData, error) {
	data := new(firestoredata.DocumentEventData)
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(raw, data); err != nil {
		return nil, fmt.Errorf("%w: %d bytes are neither a DocumentEventData nor one in base64", errMalformed, len(raw))
	}
	if data.GetValue() == nil && data.GetOldValue() == nil && len(raw) > 0 {
		return nil, errNoChange
	}
	if _, _, _, ok := splitName(nameOf(data)); !ok {
		return nil, fmt.Errorf("%w: the event names no document", errMalformed)
	}
	return data, nil
}

// errNoChange means that a document existed neither before nor after: it was deleted without existing. The emulator
// sends an event for that, production does not.
var errNoChange = errors.New("no document before or after")

// nameOf returns the document's name; a deleted document has only the old value.
func nameOf(data *firestoredata.DocumentEventData) string {
	if name := data.GetValue().GetName(); name != "" {
		return name
	}
	return data.GetOldValue().GetName()
}

// splitName splits "projects/demo-a/databases/(default)/documents/users/ada" into its parts.
func splitName(name string) (project, database, document string, ok bool) {
	p := strings.SplitN(name, "/", 6)
	if len(p) < 6 || p[0] != "projects" || p[2] != "databases" || p[4] != "documents" {
		return "", "", "", false
	}
	return p[1], p[3], p[5], p[1] != "" && p[3] != "" && p[5] != ""
}

// percentEncode writes a CloudEvents attribute as an HTTP header value, by section 3.1.3.2 of the CloudEvents HTTP
// protocol binding 1.0: space, double quote, percent and everything but printable ASCII become %XX.
func percentEncode(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c > '~' || c == '"' || c == '%' {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// printable reports whether s can be an HTTP header value unchanged.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
