package schema

import (
	"context"
	"time"

	"cloud.google.com/go/firestore"
)

// Ranking decides for whom a comment lifts a post, and how high. The zero value is the default. Its functions
// are called for each event of a comment, perhaps repeatedly and late. For the same comment they return the
// same result each time. If they read the database, they read documents that rarely change. After an error the
// event comes again, for about a day.
type Ranking struct {
	// Match returns ids of people and groups. The comment lifts the post for their followers who have the post
	// in their timelines. Ids beyond MaxMatches are left out. nil: the commenter, and the comment's audience.
	Match func(ctx context.Context, db *firestore.Client, c Comment) ([]string, error)
	// Rank returns the time to which the comment lifts the post. A time more than five minutes after the
	// comment's creation counts as five minutes after it. nil: the time when the comment was created. If there
	// are more followers than InlineLimit, a comment that ranks lower than an earlier one lifts nothing.
	Rank func(ctx context.Context, db *firestore.Client, c Comment) (time.Time, error)
}

// MaxMatches is the largest number of ids that [Ranking.Match] may return.
const MaxMatches = 10

// Comment is posts/{p}/comments/{c}, with fields of its post.
type Comment struct {
	ID           string
	Author       string         // of the comment: its userId
	Audience     string         // of the comment; "": none
	Fields       map[string]any // of the comment, all
	Created      time.Time      // its createdAt; the document's create time if createdAt is later or not a timestamp
	Post         string
	PostAuthor   string
	PostAudience string
	PostKind     string
	PostRefs     []string // the post's subjects
}

// Matches returns the result of [Ranking.Match], or the default.
func (r Ranking) Matches(ctx context.Context, db *firestore.Client, c Comment) ([]string, error) {
	if r.Match != nil {
		return r.Match(ctx, db, c)
	}
	return []string{c.Author, c.Audience}, nil
}

// Ranks returns the result of [Ranking.Rank], or the default.
func (r Ranking) Ranks(ctx context.Context, db *firestore.Client, c Comment) (time.Time, error) {
	if r.Rank != nil {
		return r.Rank(ctx, db, c)
	}
	return c.Created, nil
}
