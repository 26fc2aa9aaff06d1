package functions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// errOtherDatabase reports an event of another database or project than the function's.
// The trigger disagrees with RELATIONINDEX_DATABASE or GOOGLE_CLOUD_PROJECT.
//
// Such an event is rejected, not dropped. Its handler would read documents of the same
// names in the wrong database. Nothing is lost if you correct the deployment within the
// 24 hours of redelivery.
var errOtherDatabase = errors.New("event of another database")

// errMalformed reports an event that does not match what a Firestore trigger sends for
// the function's document pattern. Redelivery cannot help.
var errMalformed = errors.New("malformed event")

// change is a decoded event: a document before and after a write.
type change struct {
	database string   // its resource name: projects/p/databases/(default)
	path     []string // segments below the database: collection, id, …
	before   *firestoredata.Document
	after    *firestoredata.Document // nil: deleted
}

// decodeEvent decodes a Firestore event. The path comes from the document's name: the
// document attribute and the subject arrive percent-encoded.
func decodeEvent(e event.Event) (change, error) {
	var data firestoredata.DocumentEventData
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(e.Data(), &data); err != nil {
		return change{}, fmt.Errorf("%w: data is not a DocumentEventData: %w", errMalformed, err)
	}
	c := change{before: data.GetOldValue(), after: data.GetValue()}
	if c.after.GetName() == "" {
		c.after = nil // a deletion may come with an empty value
	}
	name := c.after.GetName()
	if c.after == nil {
		name = c.before.GetName()
	}
	database, document, ok := strings.Cut(name, "/documents/")
	if !ok || document == "" {
		return change{}, fmt.Errorf("%w: the event names no document", errMalformed)
	}
	c.database, c.path = database, strings.Split(document, "/")
	return c, nil
}

// ids returns the ids of the document and the documents above, from the top. If the path does not match pattern
// ("users/{userId}/followers/{followerId}"), ids returns errMalformed. If nothing is derived from a document with such
// an id, ids returns [schema.ErrBadID].
func (c change) ids(pattern string) ([]string, error) {
	want := strings.Split(pattern, "/")
	if len(want) != len(c.path) {
		return nil, fmt.Errorf("%w: document %s is not %s", errMalformed, strings.Join(c.path, "/"), pattern)
	}
	var ids []string
	for i, segment := range want {
		switch {
		case c.path[i] == "":
			return nil, fmt.Errorf("%w: document %s has an empty segment", errMalformed, strings.Join(c.path, "/"))
		case strings.HasPrefix(segment, "{"):
			ids = append(ids, c.path[i])
		case segment != c.path[i]:
			return nil, fmt.Errorf("%w: document %s is not %s", errMalformed, strings.Join(c.path, "/"), pattern)
		}
	}
	for i, segment := range want {
		if err := checkSegment(segment, c.path[i]); err != nil {
			return nil, schema.BadDocument(strings.Join(c.path, "/"), "%w; the document is ignored", err)
		}
	}
	return ids, nil
}

// checkSegment checks the id at a segment of a pattern.
func checkSegment(segment, id string) error {
	switch segment {
	case "{userId}", "{followerId}":
		return schema.CheckAccountID(id)
	case "{postId}":
		return schema.CheckPostID(id)
	default:
		return schema.CheckID(id)
	}
}

// unchanged reports whether the document exists before and after, and all of fields are equal.
func (c change) unchanged(fields []string) bool {
	if c.before == nil || c.after == nil {
		return false
	}
	for _, f := range fields {
		if !proto.Equal(c.before.GetFields()[f], c.after.GetFields()[f]) {
			return false
		}
	}
	return true
}

// generation identifies the state of the document after an event; after a deletion, the last state before it.
func (c change) generation() string {
	document := c.after
	if document == nil {
		document = c.before
	}
	generation := schema.Generation(document.GetUpdateTime().AsTime())
	if c.after == nil {
		return "gone " + generation
	}
	return generation
}

// hides reports whether a post is in no feed after the event.
func (c change) hides() bool {
	return c.after == nil || c.after.GetFields()[schema.FieldHidden].GetBooleanValue()
}

// signs reports whether the event changes only fields of a post that functions sign.
func (c change) signs(copied, signed []string) bool {
	return !c.adds(copied, signed) && c.samePost(nil)
}

// takes reports whether the event only takes a post away from people whom it named, or from an audience. The post comes
// to nobody new, and changes no field, except fields that functions sign.
func (c change) takes(copied, signed []string) bool {
	return !c.adds(copied, signed) && !c.samePost(nil)
}

// adds reports whether the event brings a post to new readers, or changes a field that functions do not sign.
func (c change) adds(copied, signed []string) bool {
	fields := []string{schema.FieldUserID, schema.FieldCreatedAt}
	for _, f := range copied {
		if !slices.Contains(signed, f) {
			fields = append(fields, f)
		}
	}
	audience := audienceIn(c.after)
	return !c.unchanged(fields) || c.before.GetFields()[schema.FieldHidden].GetBooleanValue() ||
		!proto.Equal(audienceIn(c.before), audience) && audience.GetStringValue() != "" ||
		len(c.newlyNames()) > 0 || lacks(c.before.GetFields()[schema.FieldTo], c.after.GetFields()[schema.FieldTo])
}

// samePost reports whether a post exists before and after, and its relations stay as they are. It ignores an edit that
// only writes out the default of a missing audience or `hidden`.
func (c change) samePost(copied []string) bool {
	return c.unchanged(append([]string{schema.FieldUserID, schema.FieldCreatedAt, schema.FieldTo}, copied...)) &&
		proto.Equal(audienceIn(c.before), audienceIn(c.after)) &&
		c.before.GetFields()[schema.FieldHidden].GetBooleanValue() == c.after.GetFields()[schema.FieldHidden].GetBooleanValue()
}

// lost returns the people whom a post names no longer, and whether it has another author or audience than before.
func (c change) lost() (people []string, moved bool) {
	if !shown(c.before) {
		return nil, false
	}
	named, audience := namedIn(c.after), audienceIn(c.before)
	people = slices.DeleteFunc(namedIn(c.before), func(u string) bool { return slices.Contains(named, u) })
	return people, audience.GetStringValue() != "" &&
		(!proto.Equal(audience, audienceIn(c.after)) || textIn(c.before, schema.FieldUserID) != textIn(c.after, schema.FieldUserID))
}

func audienceIn(post *firestoredata.Document) *firestoredata.Value {
	if audience, ok := post.GetFields()[schema.FieldAudience]; ok {
		return audience
	}
	return post.GetFields()[schema.FieldUserID]
}

// onlyOurs reports whether a user document has only fields that the functions write.
func onlyOurs(user *firestoredata.Document) bool {
	for name := range user.GetFields() {
		if !names.IndexField(name) {
			return false
		}
	}
	return true
}
