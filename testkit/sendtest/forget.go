package sendtest

import (
	"slices"
	"testing"

	"example.com/relationindex/schema"
)

// A deleted account's messages are deleted, and so are the messages about its posts, whether the
// delivery is on or off.
func (s Suite) aDeletedAccount(t *testing.T) {
	t.Parallel()
	off := s.Delivery
	off.Bring = nil
	for name, c := range map[string]struct {
		then schema.Delivery
		gone string
		want [2][]string // readers told of ada's post, and of bob's
	}{
		"a reader":                {s.Delivery, "r1", [2][]string{{"r2"}, {"ada"}}},
		"a reader, and it is off": {off, "r1", [2][]string{{"r2"}, {"ada"}}},
		"an author":               {s.Delivery, "ada", [2][]string{nil, {"r1"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := s.newWorld(t, schema.Config{NoOwnPosts: true})
			w.crowd("ada", []string{"r1", "r2"})
			w.crowd("bob", []string{"r1", "ada"})
			w.writeBy("ada", "p1")
			w.writeBy("bob", "p2")
			w.brought("p1")
			w.brought("p2")
			w.chunk, w.opts.Deliveries = 1, []schema.Delivery{c.then}
			w.process = w.open()
			_, err := w.client.Doc("users/" + c.gone).Delete(t.Context())
			w.must(err)
			w.must(w.Accounts.Purge(t.Context(), c.gone, "deleted", "event"))
			w.must(w.work(t.Context()))
			for n, post := range []string{"p1", "p2"} {
				if !s.Repeats { // with Repeats, a document may have had other readers too
					w.wantReaders(post, c.want[n]...)
				} else if told := w.readersOf(post); slices.Contains(told, c.gone) || post == "p1" && c.gone == "ada" && len(told) > 0 {
					t.Errorf("%s was told to %v", post, told)
				}
			}
			if t.Failed() {
				t.Log("Forget has to find the documents of the account and of its posts, and no others: they are deleted as a whole")
			}
		})
	}
}
