// Package recipes has the code of docs/recipes, which its tests run.
package recipes

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"firebase.google.com/go/v4/messaging"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Sender is a *messaging.Client.
type Sender interface {
	SendEachForMulticast(ctx context.Context, m *messaging.MulticastMessage) (*messaging.BatchResponse, error)
}

// Push notifies the readers of mail/{id}, on all their devices. After an error call it again: a device
// shows one notification of a post, however often it comes.
func Push(ctx context.Context, db *firestore.Client, fcm Sender, id string) error {
	mail, err := db.Collection("mail").Doc(id).Get(ctx)
	if status.Code(err) == codes.NotFound {
		return nil // its readers have deleted their accounts
	}
	if err != nil {
		return err
	}
	var m struct {
		Readers  []string       `firestore:"bccUids"`
		Delivery map[string]any `firestore:"delivery"`
		Template struct {
			Data map[string]string `firestore:"data"`
		} `firestore:"template"`
	}
	if err := mail.DataTo(&m); err != nil || m.Delivery != nil {
		return err // or it was sent before
	}
	var contacts []*firestore.DocumentRef
	for _, reader := range m.Readers {
		contacts = append(contacts, db.Collection("contacts").Doc(reader))
	}
	docs, err := db.GetAll(ctx, contacts)
	if err != nil {
		return err
	}
	var tokens []string
	owner := map[string]*firestore.DocumentRef{}
	for _, doc := range docs {
		var contact struct {
			Tokens []string `firestore:"tokens"`
		}
		if doc.Exists() && doc.DataTo(&contact) == nil {
			for _, token := range contact.Tokens {
				tokens, owner[token] = append(tokens, token), doc.Ref
			}
		}
	}
	post := m.Template.Data["post"]
	tag := fmt.Sprintf("%x", sha256.Sum256([]byte(post)))[:32] // APNs takes 64 bytes, an id may be longer
	for batch := range slices.Chunk(tokens, 500) {             // FCM takes no more
		sent, err := fcm.SendEachForMulticast(ctx, &messaging.MulticastMessage{
			Tokens:       batch,
			Data:         map[string]string{"post": post},
			Notification: &messaging.Notification{Title: "A new post"}, // without its text: nobody can hide a push again
			Android:      &messaging.AndroidConfig{Notification: &messaging.AndroidNotification{Tag: tag}},
			APNS:         &messaging.APNSConfig{Headers: map[string]string{"apns-collapse-id": tag}},
			Webpush:      &messaging.WebpushConfig{Notification: &messaging.WebpushNotification{Tag: tag}},
		})
		if err != nil {
			return err
		}
		for i, r := range sent.Responses {
			switch {
			case messaging.IsUnregistered(r.Error): // the app is gone from that device
				_, err = owner[batch[i]].Update(ctx, []firestore.Update{{Path: "tokens", Value: firestore.ArrayRemove(batch[i])}})
			case messaging.IsUnavailable(r.Error), messaging.IsInternal(r.Error), messaging.IsQuotaExceeded(r.Error):
				err = fmt.Errorf("FCM: %w", r.Error)
			}
			if err != nil {
				return err
			}
		}
	}
	// A crash before this sends again. The document stays for eight days, so that nobody gets the post twice.
	_, err = mail.Ref.Update(ctx, []firestore.Update{{Path: "delivery", Value: map[string]any{
		"state": "SUCCESS", "expireAt": time.Now().Add(8 * 24 * time.Hour),
	}}})
	return err
}
