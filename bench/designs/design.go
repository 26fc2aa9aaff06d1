package designs

import (
	"context"
	"time"

	"example.com/relationindex/internal/runtime/wire"
)

// Post is a post as an author writes it and as a feed shows it.
type Post struct {
	ID        string    `firestore:"postId"`
	Author    string    `firestore:"userId"`
	CreatedAt time.Time `firestore:"createdAt"` // to the microsecond, as Firestore keeps it
	Text      string    `firestore:"text"`      // what feeds show, so every design copies it that copies posts
}

// Design is one way to have feeds. Its calls may come at once, as far as they
// are about different documents.
type Design interface {
	// Follow makes follower follow author; Unfollow ends it. Nobody does either twice.
	Follow(ctx context.Context, follower, author string) error
	Unfollow(ctx context.Context, follower, author string) error
	// Post creates a post; Edit changes its text; Delete removes it.
	Post(ctx context.Context, p Post) error
	Edit(ctx context.Context, p Post) error
	Delete(ctx context.Context, p Post) error
	// Feed is a page of a reader's feed: the newest limit posts of those they follow.
	Feed(ctx context.Context, reader string, limit int) ([]Post, error)
	// Settle waits until every feed shows what the calls before it did.
	Settle(ctx context.Context) error
	// Counts is what has been billed so far: what the client did and what functions did.
	Counts() wire.Counts
}

// The collections, the same in every design.
const (
	users     = "users"
	posts     = "posts"
	followers = "followers" // users/{author}/followers/{follower}: where there are functions
	following = "following" // users/{reader}/following/{author}: fan-out on read
)

// postData is a post document. Its id is not among its fields.
func postData(p Post) map[string]any {
	return map[string]any{"userId": p.Author, "createdAt": p.CreatedAt, "text": p.Text}
}
