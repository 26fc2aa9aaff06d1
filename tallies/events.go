package tallies

import (
	"context"
	"errors"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Followed tallies the notification of account u for the day on which f began to follow u, if f follows u. It
// also tallies the notification of day, the day in f's event, unless day is "". f may have left since, and a
// process that died may have counted f. Followed costs one read more than these tallies.
func (x *Tallies) Followed(ctx context.Context, u, f, day string) error {
	if !x.db.Config.Notifications {
		return nil
	}
	docs, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.Follower(u, f)})
	if err != nil {
		return err
	}
	told := []Subject{Notification(u, Follow, day)}
	if at, known := schema.FieldsOf(docs[0], schema.FieldCreatedAt)[schema.FieldCreatedAt].(time.Time); known {
		told = append(told, Notification(u, Follow, DayOf(at)))
	}
	return x.Tally(ctx, told...)
}

// Liked tallies the likes of post p: the number, and the author's notification. It costs one read more than
// these tallies. Calls that share counts also share this read.
func (x *Tallies) Liked(ctx context.Context, p string) error { return x.ofPost(ctx, Likes(p)) }

// Commented is Liked for comments.
func (x *Tallies) Commented(ctx context.Context, p string) error { return x.ofPost(ctx, Comments(p)) }

func (x *Tallies) ofPost(ctx context.Context, number Subject) error {
	if !x.db.Config.Notifications || !number.valid() {
		return x.Tally(ctx, number)
	}
	_, err := x.events.Do(ctx, number, struct{}{})
	return err
}

// told tallies a number of a post, and the author's notification of it.
func (x *Tallies) told(ctx context.Context, number Subject) error {
	post, err := x.post(ctx, number.Of)
	if err != nil {
		return err
	}
	subjects := []Subject{number}
	if verb := map[string]string{likesOf: Like, commentsOn: Comment}[number.Number]; post != nil {
		subjects = append(subjects, Notification(post.Author, verb, number.Of))
	}
	return x.Tally(ctx, subjects...)
}

// Mention tallies the notifications of the people whom post p names now. If anew is false, it names nobody whom it did not
// name before. It costs one read more than these tallies.
func (x *Tallies) Mention(ctx context.Context, p string, anew bool) error {
	if !x.db.Config.Notifications || schema.CheckPostID(p) != nil {
		return nil
	}
	post, err := x.post(ctx, p)
	if err != nil || post == nil {
		return err
	}
	var named []Subject
	for _, u := range post.ByName(ctx) { // the author is not valid
		named = append(named, Subject{Of: u, Verb: Mention, Object: post.Author, anew: anew})
	}
	return x.Tally(ctx, named...)
}

// Taken tallies those notifications that tell of somebody: what has happened can tell of nobody new. Each costs one read
// more.
func (x *Tallies) Taken(ctx context.Context, notifications ...Subject) error {
	notifications = slices.DeleteFunc(slices.Clone(notifications), func(s Subject) bool { return !x.has(s) })
	if len(notifications) == 0 {
		return nil
	}
	refs := make([]*firestore.DocumentRef, len(notifications))
	for n, s := range notifications {
		refs[n] = x.ref(s)
	}
	docs, err := x.db.Client.GetAll(ctx, refs)
	if err != nil {
		return err
	}
	var there []Subject
	for n, doc := range docs {
		if schema.FieldsOf(doc, fieldAt)[fieldAt] != nil {
			there = append(there, notifications[n])
		}
	}
	return x.Tally(ctx, there...)
}

// post reads a post; nil: it is gone, or has no author.
func (x *Tallies) post(ctx context.Context, p string) (*posts.Post, error) {
	post, _, err := posts.Current(ctx, x.db, p)
	if errors.Is(err, schema.ErrBadDocument) {
		return nil, nil //nolint:nilnil // its delivery reports it
	}
	return post, err
}

// Naming tallies the notifications of account u that name an actor, after u has begun to block the actor. Each
// costs one read more.
func (x *Tallies) Naming(ctx context.Context, u, actor string) error {
	return x.stored(ctx, u, x.notes(u).Where(fieldActors, "array-contains", actor))
}

// mostStored is how many notifications are listed at a time, and how many Less and Again look at.
const mostStored = 100

// stored tallies the notifications of account u that a query finds, a page at a time.
func (x *Tallies) stored(ctx context.Context, u string, q firestore.Query) error {
	var after *firestore.DocumentRef
	for x.db.Config.Notifications {
		docs, err := store.ListPage(ctx, q.Select(fieldActors), after, mostStored)
		if err != nil {
			return err
		}
		if err := x.Tally(ctx, subjectsOf(u, docs)...); err != nil || len(docs) < mostStored {
			return err
		}
		after = docs[len(docs)-1].Ref
	}
	return nil
}

func (x *Tallies) notes(u string) *firestore.CollectionRef {
	return x.db.User(u).Collection(names.Notifications)
}

func subjectsOf(u string, docs []*firestore.DocumentSnapshot) (all []Subject) {
	for _, doc := range docs {
		all = append(all, storedSubject(u, doc))
	}
	return all
}
