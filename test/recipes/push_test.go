package recipes

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"firebase.google.com/go/v4/messaging"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// phones are all devices, in place of FCM: a device shows one notification of a tag.
type phones struct {
	shown map[string][]string // token: tags
	sends int
	fail  error // of the next send
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
	all := &messaging.BatchResponse{}
	for _, token := range m.Tokens {
		if !slices.Contains(p.shown[token], m.Android.Notification.Tag) {
			p.shown[token] = append(p.shown[token], m.Android.Notification.Tag)
		}
		all.Responses = append(all.Responses, &messaging.SendResponse{Success: true})
	}
	return all, nil
}

// Ada's followers are notified of her post on all their devices, though FCM fails once and each document comes twice.
func TestPush(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, config.Functions{Mail: "push"})
	a.Profile("ada", map[string]any{"name": "Ada"})
	want := map[string][]string{}
	for n := range 60 { // two documents of mail
		reader := fmt.Sprint("f", n)
		a.Follow(reader, "ada")
		tokens := []string{reader + "-phone", reader + "-tablet"}
		a.Must(a.Client.Doc("contacts/"+reader).Set(t.Context(), map[string]any{"tokens": tokens}))
		for _, token := range tokens {
			want[token] = []string{fmt.Sprintf("%x", sha256.Sum256([]byte("p1")))[:32]}
		}
	}
	a.Settle()
	a.Post("p1", "ada", time.Now())
	a.Settle()

	devices := &phones{shown: map[string][]string{}, fail: errors.New("unavailable")}
	mail, err := a.Client.Collection("mail").Documents(t.Context()).GetAll()
	if err != nil || len(mail) < 2 {
		t.Fatalf("%d documents of mail: %v", len(mail), err)
	}
	failed := 0
	for range 3 { // as a trigger that retries, and one whose event comes again
		for _, doc := range mail {
			if err := Push(t.Context(), a.Client, devices, doc.Ref.ID); err != nil {
				failed++
			}
		}
	}
	if diff := cmp.Diff(want, devices.shown); diff != "" {
		t.Errorf("notifications by token (-want +got):\n%s", diff)
	}
	if failed != 1 || devices.sends != len(mail)+1 {
		t.Errorf("%d calls failed, and there were %d sends of %d documents; want 1, and one more than documents", failed, devices.sends, len(mail))
	}
	if err := Push(t.Context(), a.Client, devices, "gone"); err != nil {
		t.Errorf("a document that is gone: %v", err)
	}
}

// docs/recipes/push.md has the code that the test above runs.
func TestPushOnThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/recipes/push.md")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("push.go")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(code), "// Sender is")
	if !strings.Contains(string(page), "```go\n// Sender is"+body+"```\n") {
		t.Error("the page has other code than push.go after its imports: copy it")
	}
}
