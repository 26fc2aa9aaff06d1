package tallies

import (
	"context"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/posts"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Kept is how long a notification stays after its newest act. A notification that would already have expired
// is not created.
const Kept = 90 * 24 * time.Hour

// The fields of a notification, beside schema.FieldCount and schema.FieldExpireAt.
const (
	fieldVerb   = "verb"
	fieldObject = "object"
	fieldActors = "actors" // ids of the newest, newest first
	fieldAt     = "at"     // time of the newest act
)

var noteFields = []string{fieldVerb, fieldObject, schema.FieldCount, fieldActors, fieldAt, schema.FieldExpireAt}

// acts is the set of acts that a notification counts.
type acts struct {
	all  firestore.Query // also acts of the account itself; unset if one is set
	own  func(context.Context, effort) (int64, error)
	by   func(act *firestore.DocumentSnapshot) (actor string)
	kind string // of the acts' post
	one  actor  // the actor of a mention
}

// dueNote returns the fields that a notification should have, counted now; nil: no notification should exist.
// This is so if the account has no profile, or if no actor is left: see [Tallies.newest].
//
// It costs a read for the account, one for its settings if readers have settings, and one for the post, if
// there is one. Then it costs the reads of newest, one read for a count of all acts, and one for a count of
// the account's own acts. Counts of more than 1,000 cost more.
func (x *Tallies) dueNote(ctx context.Context, s Subject, e effort) (content, error) {
	r, err := x.readerOf(ctx, s.Of)
	if err != nil || r == nil {
		return nil, err
	}
	a, err := x.actsOf(ctx, s)
	if err != nil || a == nil || r.HidesKind(a.kind) {
		return nil, err
	}
	told, err := x.newest(ctx, r, *a)
	if err != nil || len(told) == 0 || told[0].at.Add(Kept).Before(x.now()) {
		return nil, err
	}
	n, err := a.others(ctx, e)
	if err != nil || n <= 0 { // the actors have left since
		return nil, err
	}
	var actors []any
	for _, t := range told {
		actors = append(actors, t.id)
	}
	return content{
		fieldVerb: s.Verb, fieldObject: s.Object, schema.FieldCount: n, fieldActors: actors,
		fieldAt: told[0].at, schema.FieldExpireAt: schema.Storable(told[0].at.Add(Kept)),
	}, nil
}

// others counts the acts of accounts other than the notified one.
func (a acts) others(ctx context.Context, e effort) (int64, error) {
	if a.one.id != "" {
		return 1, nil
	}
	all, err := e.count(ctx, a.all)
	if err != nil || a.own == nil {
		return all, err
	}
	own, err := a.own(ctx, e)
	return all - own, err
}

// reader is the account that gets a notification.
type reader struct {
	id string
	readers.Settings
}

// readerOf reads an account that may have notifications; nil: the account has no profile.
func (x *Tallies) readerOf(ctx context.Context, u string) (*reader, error) {
	refs := []*firestore.DocumentRef{x.db.User(u)}
	if x.db.Config.ReaderSettings {
		refs = append(refs, x.db.Decided(u))
	}
	docs, err := x.db.Client.GetAll(ctx, refs)
	if err != nil || !schema.HasProfile(docs[0]) {
		return nil, err
	}
	r := &reader{id: u}
	if len(docs) > 1 {
		r.Settings = readers.Decode(docs[1])
	}
	return r, nil
}

// actsOf returns the acts that a notification counts; nil: its post does not exist, is not by the right
// account, or does not mention the account.
func (x *Tallies) actsOf(ctx context.Context, s Subject) (*acts, error) {
	byName := func(act *firestore.DocumentSnapshot) string { return act.Ref.ID }
	switch s.Verb {
	case Follow:
		day, err := time.Parse(time.DateOnly, s.Object)
		all := x.db.User(s.Of).Collection(x.db.Config.Collections().Followers).
			Where(schema.FieldCreatedAt, ">=", day).Where(schema.FieldCreatedAt, "<", schema.Storable(day.AddDate(0, 0, 1)))
		return &acts{all: all, by: byName}, err
	case Request:
		return &acts{all: x.db.User(s.Of).Collection(names.Requests).Query, by: byName}, nil
	}
	docs, err := x.db.Client.GetAll(posts.Only(ctx, x.db), []*firestore.DocumentRef{x.db.Post(s.Object)})
	if err != nil {
		return nil, err
	}
	post := x.postOf(s, docs[0])
	switch {
	case post == nil:
		return nil, nil //nolint:nilnil // nobody is told of it
	case s.Verb == Mention:
		return mentionIn(*post, s.Of), nil
	case s.Verb == Like:
		return &acts{all: x.likes(s.Object), by: byName, kind: post.Kind, own: func(ctx context.Context, _ effort) (int64, error) {
			docs, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.Like(s.Object, s.Of)})
			if err != nil || !docs[0].Exists() {
				return 0, err
			}
			return 1, nil
		}}, nil
	}
	all := x.thread(docs[0])
	by := func(comment *firestore.DocumentSnapshot) string { return schema.TextOf(comment, schema.FieldUserID) }
	return &acts{all: all, by: by, kind: post.Kind, own: func(ctx context.Context, e effort) (int64, error) {
		return e.count(ctx, all.Where(schema.FieldUserID, "==", s.Of))
	}}, nil
}

// postOf returns the post of a notification. It returns nil if the post does not exist, is by another account,
// or is bad; the post's own event reports a bad post.
func (x *Tallies) postOf(s Subject, doc *firestore.DocumentSnapshot) *posts.Post {
	if !doc.Exists() {
		return nil
	}
	post, err := posts.Decode(x.db.Config, doc)
	if err != nil || (post.Author == s.Of) == (s.Verb == Mention) {
		return nil
	}
	return &post
}

// mayBegin returns [store.ErrStale] if the account of a notification, or its post, was deleted after the
// count. It costs a read for each.
//
// The count after a write would find a superfluous notification. But if the process crashes before that count, the
// event comes again, and finds no post that names the account. Then nothing would ever delete the notification.
func (x *Tallies) mayBegin(tx *firestore.Transaction, s Subject) error {
	refs := []*firestore.DocumentRef{x.db.User(s.Of)}
	about := s.Verb == Like || s.Verb == Comment || s.Verb == Mention
	if about {
		refs = append(refs, x.db.Post(s.Object))
	}
	docs, err := tx.GetAll(refs)
	if err != nil {
		return err
	}
	if !schema.HasProfile(docs[0]) {
		return store.ErrStale
	}
	if about {
		post := x.postOf(s, docs[1])
		if post == nil || s.Verb == Mention && mentionIn(*post, s.Of) == nil {
			return store.ErrStale
		}
	}
	return nil
}
