package fill

import (
	"context"
	"fmt"
	"sync/atomic"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
)

// inPart is the number of posts that are filled together, before the next ones are read.
const inPart = 500

// Filled counts the posts that Posts read and wrote.
type Filled struct {
	Posts  int64 `json:"posts"`  // read
	Filled int64 `json:"filled"` // lacked a field; in a dry run, they still do
	Bad    int64 `json:"bad"`    // lack a field, and have no valid author: they stay as they are
}

// Options are the options of Posts. The zero value is the default.
type Options struct {
	DryRun   bool              // write nothing
	Progress func(posts int64) // called with the number of posts read so far; nil: not called
}

// Posts writes audience, the post's author, and hidden, false, into the posts that lack them. It changes no other
// field, and no existing value. The events of these writes bring no posts, because the author's followers were the
// audience before. With numbers, the events count the author's posts.
//
// It reads every post once, without other fields, and writes the posts that lack a field. Clients may write posts
// meanwhile: each write requires that the post is as it was read, or reads it again. After a crash or an error, run it
// again: it continues with the posts that still lack a field. The returned counts are right even if Posts returns an
// error.
func Posts(ctx context.Context, s *social.System, o Options) (Filled, error) {
	var filled Filled
	var part []*firestore.DocumentSnapshot // lack a field
	write := func() error {
		n, err := writePart(ctx, s, part)
		filled.Filled += n
		part = nil
		return err
	}
	q := s.DB.Client.Collection(s.DB.Config.Collections().Posts).Select(schema.FieldUserID, schema.FieldAudience, schema.FieldHidden)
	for post, err := range store.Documents(ctx, q) {
		if err != nil {
			return filled, fmt.Errorf("fill posts: %w", err)
		}
		if filled.Posts++; o.Progress != nil {
			o.Progress(filled.Posts)
		}
		switch updates, bad := missing(post); {
		case bad:
			filled.Bad++
		case len(updates) == 0:
		case o.DryRun:
			filled.Filled++
		default:
			part = append(part, post)
		}
		if len(part) == inPart {
			if err := write(); err != nil {
				return filled, fmt.Errorf("fill posts: %w", err)
			}
		}
	}
	if err := write(); err != nil {
		return filled, fmt.Errorf("fill posts: %w", err)
	}
	return filled, nil
}

// writePart fills posts, and counts the filled ones. It reads a post again that a client writes at the same time.
//
// A crash leaves the other posts as they were: the next call finds them.
func writePart(ctx context.Context, s *social.System, posts []*firestore.DocumentSnapshot) (int64, error) {
	fill := bulk.Change(func(_ context.Context, _ chunker.Job, post *firestore.DocumentSnapshot) ([]firestore.Update, error) {
		updates, _ := missing(post)
		return updates, nil
	})
	var filled atomic.Int64
	_, err := work.Each(ctx, s.Graph.Pool, posts, func(ctx context.Context, post *firestore.DocumentSnapshot) error {
		err := fill(ctx, chunker.Job{}, post)
		if err == nil {
			filled.Add(1)
		}
		return err
	})
	return filled.Load(), err
}

// missing returns the updates of a post that lacks fields. A bad post lacks fields and has
// no valid author to take them from: it gets no updates.
func missing(post *firestore.DocumentSnapshot) (updates []firestore.Update, bad bool) {
	fields := schema.FieldsOf(post, schema.FieldAudience, schema.FieldHidden)
	author := schema.TextOf(post, schema.FieldUserID)
	if _, ok := fields[schema.FieldAudience]; !ok {
		updates = append(updates, firestore.Update{Path: schema.FieldAudience, Value: author})
	}
	if _, ok := fields[schema.FieldHidden]; !ok {
		updates = append(updates, firestore.Update{Path: schema.FieldHidden, Value: false})
	}
	if len(updates) > 0 && schema.CheckAccountID(author) != nil {
		return nil, true
	}
	return updates, false
}
