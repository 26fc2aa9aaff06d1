package chaos

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
)

// Entry is a post in a feed.
type Entry struct {
	Post      string    `firestore:"postId"`
	Text      string    `firestore:"text"`
	CreatedAt time.Time `firestore:"createdAt"`
}

// ReadFeed is the reader's whole feed as clients read it, page relations at a time.
func ReadFeed(ctx context.Context, client *firestore.Client, reader string, page int) ([]Entry, error) {
	q := client.Collection("_relations").Where("followers", "array-contains", reader).
		OrderBy("createdAt", firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc).Limit(page)
	var feed []Entry
	for next := q; ; {
		docs, err := next.Documents(ctx).GetAll()
		if err != nil {
			return nil, fmt.Errorf("feed of %s: %w", reader, err)
		}
		for _, doc := range docs {
			var e Entry
			if err := doc.DataTo(&e); err != nil {
				return nil, fmt.Errorf("feed of %s: %s: %w", reader, doc.Ref.Path, err)
			}
			feed = append(feed, e)
		}
		if len(docs) < page {
			return feed, nil
		}
		next = q.StartAfter(docs[len(docs)-1])
	}
}

// CompareFeeds says how a feed differs from the wanted one; "" if it does not.
func CompareFeeds(got, want []Entry) string {
	same := func(a, b Entry) bool { return a.Post == b.Post && a.Text == b.Text && a.CreatedAt.Equal(b.CreatedAt) }
	for n := range max(len(got), len(want)) {
		switch {
		case n >= len(got):
			return fmt.Sprintf("%d posts, want %d; at %d it ends, want %s", len(got), len(want), n, want[n])
		case n >= len(want):
			return fmt.Sprintf("%d posts, want %d; at %d it has %s", len(got), len(want), n, got[n])
		case !same(got[n], want[n]):
			return fmt.Sprintf("%d posts, want %d; at %d it has %s, want %s", len(got), len(want), n, got[n], want[n])
		}
	}
	return ""
}

func (e Entry) String() string {
	return fmt.Sprintf("%s (%q, %s)", e.Post, e.Text, e.CreatedAt.UTC().Format(time.RFC3339Nano))
}
