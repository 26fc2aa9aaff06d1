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
	nameField = "name" // of users, as this app calls it
	maxName   = 40     // runes; FCM takes 4 KB
	named     = 2      // so many actors of a notification

	eachUpTo = 10             // the first acts push each, further ones whenever their count doubles
	fresh    = 24 * time.Hour // older acts are told in the app alone: an import, or a repair, brings many
)

// notice is a document users/{u}/notifications/{verb}.{object}.
type notice struct {
	Verb   string    `firestore:"verb"`
	Count  int       `firestore:"count"`
	Actors []string  `firestore:"actors"`
	At     time.Time `firestore:"at"`
}

// Notify pushes what an account is told of to all its devices, when somebody else has acted. e is the event that
// users/{u}/notifications/{n} was written. After an error call it again: a device shows one notification of a document.
//
// It costs three reads, and one for each actor whom it names.
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

// ofEvent returns what an event says of a notification; zero: it was not there.
func ofEvent(document *firestoredata.Document) (n notice) {
	fields := document.GetFields()
	n.Count = int(fields["count"].GetIntegerValue())
	if at := fields["at"].GetTimestampValue(); at != nil {
		n.At = at.AsTime()
	}
	return n
}

// tells reports whether a change is worth a push: somebody has acted today, and it is one of the first acts, or there are twice
// as many. Without this, the author of a post that many like would be told each second.
func tells(before, after notice) bool {
	if !after.At.After(before.At) || time.Since(after.At) > fresh {
		return false
	}
	return after.Count <= eachUpTo || bits.Len(uint(after.Count)) > bits.Len(uint(before.Count))
}

// namesOf returns the names of the newest actors. One without a profile is somebody.
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

// text returns what devices show. Of comments, count is how many there are, whoever wrote them.
func (n notice) text(names []string) string {
	who := strings.Join(names, ", ")
	if n.Verb == "comment" {
		return fmt.Sprintf("New comments on your post, by %s: %d", who, n.Count)
	}
	if others := n.Count - len(names); others > 0 {
		who = fmt.Sprintf("%s and %d more", who, others)
	}
	return who + map[string]string{
		"follow": " began to follow you", "request": " asked to follow you", "like": " liked your post", "mention": " mentioned you",
	}[n.Verb]
}
