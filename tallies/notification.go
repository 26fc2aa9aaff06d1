package tallies

import (
	"cmp"
	"context"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/posts"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Kept is how long a notification stays after it grew. Acts that are older cause none, but a post may name an account late.
const Kept = 90 * 24 * time.Hour

// The fields of a notification, beside schema.FieldCount and schema.FieldExpireAt.
const (
	fieldVerb   = "verb"
	fieldObject = "object" // of mentions, the newest post
	fieldActors = "actors" // ids of the newest, newest first
	fieldAt     = "at"     // when the notification grew; missing while nobody acts
	fieldTold   = "told"   // at, while nobody acts; marks, of the actors of the day of the last write
)

var noteFields = []string{fieldVerb, fieldObject, schema.FieldCount, fieldActors, fieldAt, schema.FieldExpireAt, fieldTold}

// acts is the set of acts that a notification counts.
type acts struct {
	object string
	all    firestore.Query // also acts of the account itself, and hidden posts that mention it
	own    func(context.Context, effort) (int64, error)
	by     func(act *firestore.DocumentSnapshot) (actor string) // "": hidden
	kind   string                                               // of the acts' post
	hidden bool                                                 // so is the post of all acts
	one    bool                                                 // one actor has done all
}

// dueNote returns the fields that a notification should have, counted now; nil: no notification should exist.
// This is so if the account has no profile, or the object is gone. If no actor is left, it returns those of
// a notification that no query of clients finds: see [Tallies.note].
//
// It costs a read for the account, one for its settings if readers have settings, and one for the post, if
// there is one. Then it costs the reads of newest, one read for a count of all acts, and one for a count of
// the account's own acts. Counts of more than 1,000 cost more.
func (x *Tallies) dueNote(ctx context.Context, s Subject, now state, e effort) (content, error) {
	r, err := x.readerOf(ctx, s.Of)
	if err != nil || r == nil {
		return nil, err
	}
	a, err := x.actsOf(ctx, s, r)
	if err != nil || a == nil {
		return nil, err
	}
	var told []actor
	if !a.hidden && !r.HidesKind(a.kind) {
		told, err = x.newest(ctx, r, a)
	}
	n := int64(0)
	if err == nil && len(told) > 0 {
		n, err = a.others(ctx, e)
	}
	if err != nil {
		return nil, err
	}
	if n <= 0 { // the actors have left since
		told = nil
	}
	return x.note(s, now, a.object, n, told, e.repair), nil
}

// others counts the acts of accounts other than the notified one.
func (a acts) others(ctx context.Context, e effort) (int64, error) {
	q := a.all
	if a.one {
		q = schema.NewestFirst(q) // by the index of newest
	}
	all, err := e.count(ctx, q)
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

// actsOf returns the acts that a notification counts; nil: its post does not exist, or is not by the account.
func (x *Tallies) actsOf(ctx context.Context, s Subject, r *reader) (*acts, error) {
	byName := func(act *firestore.DocumentSnapshot) string { return act.Ref.ID }
	switch s.Verb {
	case Follow:
		day, err := time.Parse(time.DateOnly, s.Object)
		all := x.db.User(s.Of).Collection(x.db.Config.Collections().Followers).
			Where(schema.FieldCreatedAt, ">=", day).Where(schema.FieldCreatedAt, "<", schema.Storable(day.AddDate(0, 0, 1)))
		return &acts{object: s.Object, all: all, by: byName}, err
	case Request:
		return &acts{all: x.db.User(s.Of).Collection(names.Requests).Query, by: byName}, nil
	case Mention:
		a := &acts{one: true, all: x.db.Client.Collection(x.db.Config.Collections().Posts).
			Where(schema.FieldTo, "array-contains", s.Of).Where(schema.FieldUserID, "==", s.Object)}
		a.by = func(post *firestore.DocumentSnapshot) string {
			fields := schema.FieldsOf(post, schema.FieldTo, schema.FieldHidden)
			if named, _ := schema.RecipientsOf(s.Object, fields, false); !slices.Contains(named, s.Of) || r.Hides(s.Object, schema.TextOf(post, names.FieldKind)) {
				return ""
			}
			a.object = cmp.Or(a.object, post.Ref.ID)
			return s.Object
		}
		return a, nil
	}
	docs, err := x.db.Client.GetAll(posts.Only(ctx, x.db), []*firestore.DocumentRef{x.db.Post(s.Object)})
	if err != nil {
		return nil, err
	}
	post := x.postOf(docs[0], s.Of)
	if post == nil {
		return nil, nil //nolint:nilnil // nobody is told of it
	}
	a := &acts{object: s.Object, kind: post.Kind, hidden: schema.FieldsOf(docs[0], schema.FieldHidden)[schema.FieldHidden] == true}
	if s.Verb == Like {
		a.all, a.by = x.likes(s.Object), byName
		a.own = func(ctx context.Context, _ effort) (int64, error) {
			docs, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.Like(s.Object, s.Of)})
			if err != nil || !docs[0].Exists() {
				return 0, err
			}
			return 1, nil
		}
		return a, nil
	}
	a.all, a.by = x.thread(docs[0]), func(comment *firestore.DocumentSnapshot) string { return schema.TextOf(comment, schema.FieldUserID) }
	a.own = func(ctx context.Context, e effort) (int64, error) {
		return e.count(ctx, a.all.Where(schema.FieldUserID, "==", s.Of))
	}
	return a, nil
}

// postOf returns a post by an author; nil: it does not exist, is by another account, or is bad, which its own event reports.
func (x *Tallies) postOf(doc *firestore.DocumentSnapshot, author string) *posts.Post {
	if !doc.Exists() {
		return nil
	}
	post, err := posts.Decode(x.db.Config, doc)
	if err != nil || post.Author != author {
		return nil
	}
	return &post
}

// mayBegin returns [store.ErrStale] if the account of a notification, or its post, was deleted after the
// count. It costs a read for each.
//
// The count after a write would find a superfluous notification. But if the process crashes before that count, the
// event comes again, and finds no post that names the account. Then nothing would ever delete the notification.
func (x *Tallies) mayBegin(tx *firestore.Transaction, s Subject, due content) error {
	refs, author := []*firestore.DocumentRef{x.db.User(s.Of)}, s.Of
	if s.Verb == Mention {
		author = s.Object
	}
	if p, _ := due[fieldObject].(string); s.Verb == Like || s.Verb == Comment || s.Verb == Mention {
		refs = append(refs, x.db.Post(p))
	}
	docs, err := tx.GetAll(refs)
	if err != nil {
		return err
	}
	if !schema.HasProfile(docs[0]) {
		return store.ErrStale
	}
	if len(docs) > 1 {
		post := x.postOf(docs[1], author)
		if post == nil || s.Verb == Mention && !slices.Contains(post.Recipients, s.Of) {
			return store.ErrStale
		}
	}
	return nil
}
