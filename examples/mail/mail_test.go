package mail_test

import (
	"context"
	"testing"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/examples/mail"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/sendtest"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func TestDelivery(t *testing.T) {
	t.Parallel()
	sendtest.Suite{Delivery: mail.Delivery("new-post"), Told: told, Reads: 1, Writes: 1}.Run(t)
}

// told returns to whom there is mail of a post. It checks that each document is as the extension needs it.
func told(ctx context.Context, db *firestore.Client, post string) (readers []string, err error) {
	docs, err := db.Collection("mail").Where("template.data.post", "==", post).Documents(ctx).GetAll()
	for _, doc := range docs {
		fields := doc.Data()
		data := fields["template"].(map[string]any)["data"].(map[string]any)
		to := fields["toUids"].([]any)
		for _, reader := range to {
			readers = append(readers, reader.(string))
		}
		want := map[string]any{"toUids": to, "author": fields["author"], "template": map[string]any{
			"name": "new-post", "data": map[string]any{"post": post, "author": fields["author"], "kind": data["kind"]},
		}}
		if diff := cmp.Diff(want, fields); diff != "" || len(to) != 1 {
			readers = append(readers, "a document is wrong: "+diff)
		}
	}
	return readers, err
}
