package push

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"
)

const (
	nameField = "name" // of users, in this app
	maxName   = 40     // runes; FCM accepts 4 KB
	named     = 2      // the most actors that a notification names

	eachUpTo = 10             // each of the first acts is a push; after that, each doubling of their count
	fresh    = 24 * time.Hour // older ones are shown in the app alone: a repair brings many
)

// notice is a document users/{u}/notifications/{verb}.{object}.
type notice struct {
	Verb   string    `firestore:"verb"`
	Count  int       `firestore:"count"`
	Actors []string  `firestore:"actors"`
	At     time.Time `firestore:"at"`
}

// Notify pushes a notification of an account to all its devices, when another account has acted. e is the event of a write to
// users/{u}/notifications/{n}. After an error call Notify again: a device shows one notification for a document.
//
// Notify costs three reads, and one for each actor that it names.
func Notify(ctx context.Context, db *firestore.Client, fcm Sender, e event.Event) error {
	var written firestoredata.DocumentEventData
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(e.Data(), &written); err != nil {
		return fmt.Errorf("event %s: %w", e.ID(), err)
	}
	before, after := ofEvent(written.GetOldValue()), ofEvent(written.GetValue())
	if !tells(before, after) {
		return nil
	}
	_, path, _ := strings.Cut(written.GetValue().GetName(), "/documents/")
	ref := db.Doc(path)
	user := ref.Parent.Parent
	docs, err := db.GetAll(ctx, []*firestore.DocumentRef{ref, user.Collection("settings").Doc("read")})
	if err != nil {
		return err
	}
	var now notice
	if !docs[0].Exists() || docs[0].DataTo(&now) != nil || now.At.Before(after.At) {
		return nil // the act was taken back, or the account is gone
	}
	read, _ := docs[1].DataAt("notifiedAt")
	if seen, _ := read.(time.Time); !seen.Before(now.At) {
		return nil
	}
	tokens, owner, err := tokensOf(ctx, db, []string{user.ID})
	if err != nil || len(tokens) == 0 {
		return err
	}
	names, err := namesOf(ctx, db, user.Parent, now.Actors)
	if err != nil {
		return err
	}
	m := message(user.ID+"/"+ref.ID, now.text(names), map[string]string{"notification": ref.ID})
	return sendTo(ctx, fcm, m, tokens, owner)
}

// ofEvent returns a notification in an event; zero: it did not exist.
func ofEvent(document *firestoredata.Document) (n notice) {
	fields := document.GetFields()
	n.Verb, n.Count = fields["verb"].GetStringValue(), int(fields["count"].GetIntegerValue())
	told := fields["told"].GetMapValue().GetFields() // has at while all acts are taken back
	for _, at := range []*firestoredata.Value{told["at"], fields["at"]} {
		if at.GetTimestampValue() != nil {
			n.At = at.GetTimestampValue().AsTime()
		}
	}
	return n
}

// tells reports whether a change is worth a push. The notification must have grown within a day, and the act is one of the first, a
// mention, or the count of acts has doubled. Without this, the author of a popular post would get a push each second.
func tells(before, after notice) bool {
	if !after.At.After(before.At) || time.Since(after.At) > fresh {
		return false
	}
	return after.Count <= eachUpTo || after.Verb == "mention" || bits.Len(uint(after.Count)) > bits.Len(uint(before.Count))
}

// namesOf returns the names of the newest actors. An actor without a profile has the name somebody.
func namesOf(ctx context.Context, db *firestore.Client, users *firestore.CollectionRef, actors []string) (names []string, err error) {
	refs := make([]*firestore.DocumentRef, min(named, len(actors)))
	for n := range refs {
		refs[n] = users.Doc(actors[n])
	}
	docs, err := db.GetAll(ctx, refs)
	for _, doc := range docs {
		value, _ := doc.DataAt(nameField)
		name, _ := value.(string)
		if runes := []rune(name); len(runes) > maxName {
			name = string(runes[:maxName]) + "…"
		}
		names = append(names, cmp.Or(name, "Somebody"))
	}
	return names, err
}

// text returns the text that devices show. For comments and mentions, count is their number, and not of their authors.
func (n notice) text(names []string) string {
	who := strings.Join(names, ", ")
	switch {
	case n.Verb == "comment":
		return fmt.Sprintf("New comments on your post, by %s: %d", who, n.Count)
	case n.Verb == "mention" && n.Count > 1:
		return fmt.Sprintf("%s mentioned you in %d posts", who, n.Count)
	}
	if others := n.Count - len(names); others > 0 {
		who = fmt.Sprintf("%s and %d more", who, others)
	}
	return who + map[string]string{
		"follow": " began to follow you", "request": " asked to follow you", "like": " liked your post", "mention": " mentioned you",
	}[n.Verb]
}
