// Package push notifies people by Firebase Cloud Messaging, in triggers of the app's own. [Delivery] writes a document for
// some readers of a new post, and [Send] sends it to their devices. [Notify] sends notifications of an account: new followers,
// or likes of its posts. README.md says how to set it up.
package push

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"firebase.google.com/go/v4/messaging"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/social"
)

// kept is how long a document stays: longer than a job retries. Firestore deletes it by a TTL policy on expireAt.
const kept = 8 * 24 * time.Hour

// maxToken is larger than any token, in bytes.
const maxToken = 4096

// Delivery writes a document pushes/{id} for up to 200 readers of a new post, with post, author and readers. It costs a read
// and a write. If a job repeats a page after readers have come or gone, the page has another document. Then some devices get
// two pushes, and show one notification: see [Send].
func Delivery() social.Delivery {
	return social.Delivery{
		Name:  "push",
		Daily: 20, // more than a reader needs from one author
		Bring: func(_ context.Context, db *firestore.Client, tx *firestore.Transaction, post social.NewPost, readers []string) error {
			ref := db.Collection("pushes").Doc(hashOf(post.ID + "/" + strings.Join(readers, "/")))
			if _, err := tx.Get(ref); status.Code(err) != codes.NotFound {
				return err // nil: the document exists
			}
			return tx.Create(ref, map[string]any{
				"post": post.ID, "author": post.Author, "readers": readers, "expireAt": time.Now().Add(kept),
			})
		},
		Forget: func(db *firestore.Client, account string) firestore.Query {
			return db.Collection("pushes").WhereEntity(firestore.OrFilter{Filters: []firestore.EntityFilter{
				firestore.PropertyFilter{Path: "readers", Operator: "array-contains", Value: account},
				firestore.PropertyFilter{Path: "author", Operator: "==", Value: account},
			}})
		},
	}
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Sender is a *messaging.Client.
type Sender interface {
	SendEachForMulticast(ctx context.Context, m *messaging.MulticastMessage) (*messaging.BatchResponse, error)
}

// Send notifies the readers of pushes/{id}, on all their devices. Call it for the event of the document's creation.
// After an error call it again: a device shows one notification for a post, however often it comes.
//
// Tokens are in contacts/{reader}, in a list tokens. Send removes tokens that FCM does not accept any longer.
func Send(ctx context.Context, db *firestore.Client, fcm Sender, id string) error {
	ref := db.Collection("pushes").Doc(id)
	doc, err := ref.Get(ctx)
	if status.Code(err) == codes.NotFound {
		return nil // the account of the reader, or of the author, was deleted
	}
	if err != nil {
		return err
	}
	var push struct {
		Post    string   `firestore:"post"`
		Readers []string `firestore:"readers"`
		Sent    bool     `firestore:"sent"`
	}
	if err := doc.DataTo(&push); err != nil || push.Sent {
		return err
	}
	tokens, owner, err := tokensOf(ctx, db, push.Readers)
	if err != nil {
		return err
	}
	// The message has only the post's id, and not its text: nobody can hide a push after it was sent.
	m := message(push.Post, "A new post", map[string]string{"post": push.Post})
	if err := sendTo(ctx, fcm, m, tokens, owner); err != nil {
		return err
	}
	// After a crash before this write, Send sends again.
	_, err = ref.Update(ctx, []firestore.Update{{Path: "sent", Value: true}})
	return err
}

// tokensOf returns the tokens of readers' devices, and the document of each token.
func tokensOf(ctx context.Context, db *firestore.Client, readers []string) (tokens []string, owner map[string]*firestore.DocumentRef, err error) {
	refs := make([]*firestore.DocumentRef, len(readers))
	for n, reader := range readers {
		refs[n] = db.Collection("contacts").Doc(reader)
	}
	docs, err := db.GetAll(ctx, refs)
	if err != nil {
		return nil, nil, err
	}
	owner = map[string]*firestore.DocumentRef{}
	for _, doc := range docs {
		var contact struct {
			Tokens []string `firestore:"tokens"`
		}
		if doc.Exists() && doc.DataTo(&contact) == nil {
			for _, token := range contact.Tokens {
				if token == "" || len(token) > maxToken { // FCM rejects a whole batch for one such token
					continue
				}
				tokens, owner[token] = append(tokens, token), doc.Ref
			}
		}
	}
	return tokens, owner, nil
}

// atOnce is the most devices that FCM accepts at once.
const atOnce = 500

// sendTo sends a message to devices.
func sendTo(ctx context.Context, fcm Sender, m *messaging.MulticastMessage, tokens []string, owner map[string]*firestore.DocumentRef) error {
	for some := range slices.Chunk(tokens, atOnce) {
		if err := sendSome(ctx, fcm, m, some, owner); err != nil {
			return err
		}
	}
	return nil
}

func sendSome(ctx context.Context, fcm Sender, m *messaging.MulticastMessage, tokens []string, owner map[string]*firestore.DocumentRef) error {
	m.Tokens = tokens
	sent, err := fcm.SendEachForMulticast(ctx, m)
	if err != nil {
		return err
	}
	for i, r := range sent.Responses {
		switch {
		case messaging.IsUnregistered(r.Error): // the app was removed from that device
			_, err = owner[tokens[i]].Update(ctx, []firestore.Update{{Path: "tokens", Value: firestore.ArrayRemove(tokens[i])}})
		case messaging.IsUnavailable(r.Error), messaging.IsInternal(r.Error), messaging.IsQuotaExceeded(r.Error):
			err = fmt.Errorf("FCM: %w", r.Error)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// message returns a message with a title. A device shows one notification for a key.
func message(key, title string, data map[string]string) *messaging.MulticastMessage {
	tag := hashOf(key)[:32] // APNs accepts 64 bytes, and an id may be longer
	return &messaging.MulticastMessage{
		Data:         data,
		Notification: &messaging.Notification{Title: title},
		Android:      &messaging.AndroidConfig{Notification: &messaging.AndroidNotification{Tag: tag}},
		APNS:         &messaging.APNSConfig{Headers: map[string]string{"apns-collapse-id": tag}},
		Webpush:      &messaging.WebpushConfig{Notification: &messaging.WebpushNotification{Tag: tag}},
	}
}
