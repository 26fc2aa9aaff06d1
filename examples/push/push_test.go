package push

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"firebase.google.com/go/v4/messaging"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/sendtest"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// phones are all devices, in place of FCM: a device shows one notification of a tag.
type phones struct {
	shown  map[string][]string // token: tags
	titles []string            // of each send
	sends  int
	fail   error // of the next send
}

func (p *phones) SendEachForMulticast(_ context.Context, m *messaging.MulticastMessage) (*messaging.BatchResponse, error) {
	p.sends++
	if err := p.fail; err != nil {
		p.fail = nil
		return nil, err
	}
	if len(m.Tokens) > 500 {
		return nil, fmt.Errorf("%d tokens", len(m.Tokens))
	}
	p.titles = append(p.titles, m.Notification.Title)
	all := &messaging.BatchResponse{}
	for _, token := range m.Tokens {
		if !slices.Contains(p.shown[token], m.Android.Notification.Tag) {
			p.shown[token] = append(p.shown[token], m.Android.Notification.Tag)
		}
		all.Responses = append(all.Responses, &messaging.SendResponse{Success: true})
	}
	return all, nil
}

// The delivery keeps the promises of every delivery, except that a repeated page may push a notification twice.
func TestDelivery(t *testing.T) {
	t.Parallel()
	sendtest.Suite{Delivery: Delivery(), Told: told, Repeats: true}.Run(t)
}

func told(ctx context.Context, db *firestore.Client, post string) (readers []string, err error) {
	docs, err := db.Collection("pushes").Where("post", "==", post).Documents(ctx).GetAll()
	for _, doc := range docs {
		for _, reader := range doc.Data()["readers"].([]any) {
			readers = append(readers, reader.(string))
		}
	}
	return readers, err
}

// Ada's followers are notified of her post on all their devices, though FCM fails once and each document comes twice.
func TestSend(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, social.Config{Deliveries: []social.Delivery{Delivery()}})
	a.Profile("ada", map[string]any{"name": "Ada"})
	want := map[string][]string{}
	for n := range 210 { // two documents
		reader := fmt.Sprint("f", n)
		a.Follow(reader, "ada")
		tokens := []string{reader + "-phone", reader + "-tablet"}
		a.Must(a.Client.Doc("contacts/"+reader).Set(t.Context(), map[string]any{"tokens": append([]string{"", strings.Repeat("x", 5000)}, tokens...)}))
		for _, token := range tokens {
			want[token] = []string{hashOf("p1")[:32]}
		}
	}
	a.Settle()
	a.Post("p1", "ada", time.Now())
	a.Settle()

	devices := &phones{shown: map[string][]string{}, fail: errors.New("unavailable")}
	pushes, err := a.Client.Collection("pushes").Documents(t.Context()).GetAll()
	if err != nil || len(pushes) < 2 {
		t.Fatalf("%d documents: %v", len(pushes), err)
	}
	failed := 0
	for range 3 { // as a trigger that retries, and one whose event comes again
		for _, doc := range pushes {
			if err := Send(t.Context(), a.Client, devices, doc.Ref.ID); err != nil {
				failed++
			}
		}
	}
	if diff := cmp.Diff(want, devices.shown); diff != "" {
		t.Errorf("notifications by token (-want +got):\n%s", diff)
	}
	if failed != 1 || devices.sends != len(pushes)+1 {
		t.Errorf("%d calls failed, and there were %d sends of %d documents; want 1, and one more than documents", failed, devices.sends, len(pushes))
	}
	if err := Send(t.Context(), a.Client, devices, "gone"); err != nil {
		t.Errorf("a document that is gone: %v", err)
	}
}
