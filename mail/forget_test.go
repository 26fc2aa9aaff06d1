package mail_test

import (
	"slices"
	"testing"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/accounts"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/mailtest"
)

// A deleted account leaves mail to it, with what the extension says of the delivery, and its posts'
// mail goes. An app's own mail stays as it is. It does not matter whether mail is on.
func TestADeletedAccount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opts schema.Options
		mail string
		gone string
		want map[string]any
	}{
		"a reader": {schema.Options{}, "t", "r1", map[string]any{
			"mail/ofAda": []any{"r2"}, "mail/sent": []any{"r2", "r3"}, "mail/other": []any{"ada"}, "mail/own": []any{"r1", "ada"},
		}},
		"a reader, mail off": {schema.Options{}, "", "r1", map[string]any{
			"mail/ofAda": []any{"r2"}, "mail/sent": []any{"r2", "r3"}, "mail/other": []any{"ada"}, "mail/own": []any{"r1", "ada"},
		}},
		"an author": {schema.Options{}, "t", "ada", map[string]any{
			"mail/own": []any{"r1", "ada"}, "mail/alone": []any{"r1"},
		}},
		"an author whose posts stay": {schema.Options{KeepPosts: true}, "t", "ada", map[string]any{
			"mail/ofAda": []any{"r1", "r2"}, "mail/sent": []any{"r1", "r2", "r3"}, "mail/own": []any{"r1", "ada"}, "mail/alone": []any{"r1"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := mailtest.New(t, c.opts)
			if w.Opts.Mail = c.mail; c.mail == "" {
				w.Process = w.Open()
			}
			letter := func(id, author string, to ...string) {
				w.Set("mail/"+id, map[string]any{"bccUids": to, "post": "p", "template": map[string]any{"name": "t", "data": map[string]any{"post": "p", "author": author}}})
			}
			letter("ofAda", "ada", "r1", "r2")
			letter("other", "bob", "r1", "ada")
			letter("alone", "bob", "r1")
			if c.gone == "ada" {
				letter("other", "bob", "ada")
			}
			letter("sent", "ada", "r1", "r2", "r3")
			_, err := w.Client.Doc("mail/sent").Update(t.Context(), []firestore.Update{{Path: "delivery", Value: map[string]any{
				"state": "SUCCESS", "error": nil, "info": map[string]any{"accepted": []string{"one@example.com"}},
			}}})
			w.Must(err)
			w.Set("mail/own", map[string]any{"bccUids": []string{"r1", "ada"}, "message": map[string]any{"subject": "hello"}})
			w.Must(w.Accounts.Purge(t.Context(), c.gone, "deleted", "event"))
			w.Must(w.Work(t.Context()))
			got := map[string]any{}
			docs, err := w.Client.Collection("mail").Documents(t.Context()).GetAll()
			w.Must(err)
			for _, doc := range docs {
				got["mail/"+doc.Ref.ID] = doc.Data()["bccUids"]
				delivery, there := doc.Data()["delivery"].(map[string]any)
				if there != (doc.Ref.ID == "sent") {
					t.Errorf("%s has a delivery %v", doc.Ref.Path, delivery)
				}
				if c.gone == "r1" && there && !cmp.Equal(delivery, map[string]any{"state": "SUCCESS"}) {
					t.Errorf("the delivery says %v", delivery)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var traces []string
			w.Must(w.Accounts.Traces(t.Context(), c.gone, func(trace accounts.Trace) { traces = append(traces, trace.Document) }, nil))
			if !c.opts.KeepPosts && len(traces) > 0 { // of posts that stay, mail names the author
				t.Errorf("traces: %v", traces)
			}
		})
	}
}

// Traces of an account are found in mail.
func TestTracesInMail(t *testing.T) {
	t.Parallel()
	w := mailtest.New(t, schema.Options{})
	w.Set("mail/a", map[string]any{"bccUids": []string{"r1"}, "post": "p"})
	w.Set("mail/b", map[string]any{"post": "p", "template": map[string]any{"data": map[string]any{"author": "r1"}}})
	w.Set("mail/own", map[string]any{"toUids": []string{"r1"}})
	var traces []string
	w.Must(w.Accounts.Traces(t.Context(), "r1", func(trace accounts.Trace) { traces = append(traces, trace.String()) }, nil))
	if diff := cmp.Diff([]string{"mail/a: bccUids", "mail/b: template"}, slices.Sorted(slices.Values(traces))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
