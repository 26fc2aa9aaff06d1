package clients

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// Entry is a post in a feed.
type Entry struct {
	Post      string    `firestore:"postId"`
	Text      string    `firestore:"text"`
	CreatedAt time.Time `firestore:"createdAt"`
}

// ReadFeed returns a reader's whole feed as clients query it, in pages of so many relations. It leaves
// out a direct relation of a post if another relation has brought that post.
func ReadFeed(ctx context.Context, client *firestore.Client, reader string, page int) ([]Entry, error) {
	q := client.Collection("_relations").Where("followers", "array-contains", reader).
		OrderBy("createdAt", firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc).Limit(page)
	var all []Entry
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
			direct := strings.HasSuffix(doc.Ref.ID, "_"+schema.DirectIndex) // and so the last relation of the post
			if n := len(all); direct && n > 0 && all[n-1].Post == e.Post {
				continue
			}
			all = append(all, e)
		}
		if len(docs) < page {
			return all, nil
		}
		next = q.StartAfter(docs[len(docs)-1])
	}
}

// CompareFeeds returns how a feed differs from the wanted one; "": it does not.
func CompareFeeds(got, want []Entry) string {
	n := 0
	for n < min(len(got), len(want)) && got[n].String() == want[n].String() {
		n++
	}
	if n == len(got) && n == len(want) {
		return ""
	}
	at := func(entries []Entry) string {
		if n == len(entries) {
			return "nothing more"
		}
		return entries[n].String()
	}
	return fmt.Sprintf("%d posts, want %d; at %d: %s, want %s", len(got), len(want), n, at(got), at(want))
}

func (e Entry) String() string {
	return fmt.Sprintf("%s (%q, %s)", e.Post, e.Text, e.CreatedAt.UTC().Format(time.RFC3339Nano))
}
