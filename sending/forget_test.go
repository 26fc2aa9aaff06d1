package sending_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// With a deleted account go the notes for it and those of its posts, whether the delivery is on or off. A delivery that
// functions do not have keeps its documents.
func TestADeletedAccount(t *testing.T) {
	t.Parallel()
	on := testkit.Notes()
	off := on
	off.Bring = nil
	for name, c := range map[string]struct {
		deliveries []schema.Delivery
		gone       string
		want       []string
	}{
		"a reader":                 {[]schema.Delivery{on}, "r1", []string{"bob>ada", "ada>r2"}},
		"a reader, and it is off":  {[]schema.Delivery{off}, "r1", []string{"bob>ada", "ada>r2"}},
		"an author":                {[]schema.Delivery{on}, "ada", []string{"bob>r1"}},
		"a reader, and it is gone": {[]schema.Delivery{}, "r1", []string{"bob>r1", "bob>ada", "ada>r1", "ada>r2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, schema.Options{Deliveries: c.deliveries})
			w.chunk = 1
			w.process = w.open()
			for n, note := range [][2]string{{"bob", "r1"}, {"bob", "ada"}, {"ada", "r1"}, {"ada", "r2"}} {
				w.set(fmt.Sprint("notes/", n), map[string]any{"author": note[0], "reader": note[1]})
			}
			w.must(w.Accounts.Purge(t.Context(), c.gone, "deleted", "event"))
			w.must(w.work(t.Context()))
			var got []string
			docs, err := w.client.Collection("notes").Documents(t.Context()).GetAll()
			w.must(err)
			for _, doc := range docs {
				got = append(got, fmt.Sprintf("%s>%s", doc.Data()["author"], doc.Data()["reader"]))
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
