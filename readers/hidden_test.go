package readers_test

import (
	"context"
	"fmt"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// Accounts that hide a post that may be none of theirs cost those who bring it next to nothing: a look at the few readers
// of their groups. Who hides it is found, also by a document that names no groups.
func TestHidingReadersCostFanOutNothing(t *testing.T) {
	t.Parallel()
	meter := &wire.Meter{}
	x := testkit.Index(t, testkit.ProjectID(t), schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, ReaderSettings: true}, meter.Interceptor())
	hide := func(reader string) {
		t.Helper()
		testkit.Write(t, x.DB.Client, map[string]map[string]any{"users/" + reader + "/hidden/p": {}})
		if there, err := readers.Hidden(t.Context(), x.DB, reader, "p"); err != nil || !there {
			t.Fatalf("%s hides p: %t, %v", reader, there, err)
		}
	}
	const crowd = 100
	var all []string
	for n := range crowd {
		all = append(all, fmt.Sprintf("r%02d", n))
	}
	asks := func() (hidden []string, reads int64) {
		t.Helper()
		before := meter.Counts()
		err := x.DB.Client.RunTransaction(readers.Only(t.Context()), func(_ context.Context, tx *firestore.Transaction) error {
			decided, err := readers.In(tx, x.DB, "p", all)
			hidden = nil
			for _, r := range all {
				if decided[r].HidesPost {
					hidden = append(hidden, r)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return hidden, meter.Counts().Minus(before).Reads
	}
	for n := range 40 {
		hide(fmt.Sprint("hostile", n))
	}
	if hidden, reads := asks(); len(hidden) > 0 || reads > crowd+1+crowd/10 {
		t.Errorf("%v hide the post, %d reads; want nobody, and little more than %d", hidden, reads, crowd+1)
	}
	hide("r07")
	if hidden, reads := asks(); fmt.Sprint(hidden) != "[r07]" || reads > crowd+2+crowd/10 {
		t.Errorf("%v hide the post, %d reads; want r07", hidden, reads)
	}
	testkit.Write(t, x.DB.Client, map[string]map[string]any{"_hides/p": {}})
	if hidden, reads := asks(); fmt.Sprint(hidden) != "[r07]" || reads != 2*crowd+1 {
		t.Errorf("%v hide the post, %d reads; want r07 by %d", hidden, reads, 2*crowd+1)
	}
}
