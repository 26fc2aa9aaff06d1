// Package bridge is for an app whose released clients write fields of their own: displayName and an array following in
// users/{u}, authorId and created in posts/{p}. From these fields it derives the fields that relationindex reads, and does not
// change the app's own. README.md says how to deploy it.
//
// Each function reads the current documents, so its events may come twice, late and in any order.
package bridge

import (
	"context"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Post gives posts/{id} the fields userId, audience, hidden and createdAt, from authorId and created, unless the post has them.
// It costs a read, and a write for a post without these fields.
//
// The write requires that the post has not changed since the read. If it has, the event of that change does the work.
func Post(ctx context.Context, db *firestore.Client, id string) error {
	post, err := db.Collection("posts").Doc(id).Get(ctx)
	if status.Code(err) == codes.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	var theirs struct {
		UserID   string    `firestore:"userId"`
		AuthorID string    `firestore:"authorId"`
		Created  time.Time `firestore:"created"`
	}
	if err := post.DataTo(&theirs); err != nil || theirs.UserID != "" || theirs.AuthorID == "" || theirs.Created.IsZero() {
		return nil //nolint:nilerr // it has our fields, or is no post of theirs
	}
	_, err = post.Ref.Update(ctx, []firestore.Update{
		{Path: "userId", Value: theirs.AuthorID},
		{Path: "audience", Value: theirs.AuthorID}, // for the author's followers
		{Path: "hidden", Value: false},
		{Path: "createdAt", Value: theirs.Created},
	}, firestore.LastUpdateTime(post.UpdateTime))
	if status.Code(err) == codes.FailedPrecondition || status.Code(err) == codes.NotFound {
		return nil
	}
	return err
}

// atOnce is the most follows that change in a transaction.
const atOnce = 200

// User gives users/{id} the field name, from displayName, and makes its follows match its array following:
// users/{author}/followers/{id} exists for each author in the array. Follows that the bridge did not make stay. bridged/{id} lists
// the follows of the bridge. User costs two reads, and a write for each added or removed author.
//
// The transaction reads both documents, so of two events at once, the second sees the changes of the first.
func User(ctx context.Context, db *firestore.Client, id string) error {
	for more := true; more; {
		err := db.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
			user, made := db.Collection("users").Doc(id), db.Collection("bridged").Doc(id)
			docs, err := tx.GetAll([]*firestore.DocumentRef{user, made})
			if err != nil {
				return err
			}
			more, err = change(db, tx, docs[0], docs[1])
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// change changes the name and at most atOnce follows, and reports whether there are more.
func change(db *firestore.Client, tx *firestore.Transaction, user, bridged *firestore.DocumentSnapshot) (more bool, err error) {
	var theirs struct {
		Name        string   `firestore:"name"`
		DisplayName string   `firestore:"displayName"`
		Following   []string `firestore:"following"`
	}
	var made struct {
		Following []string `firestore:"following"`
	}
	if user.Exists() && user.DataTo(&theirs) != nil {
		return false, nil // its fields have other types: its next event retries
	}
	if err := bridged.DataTo(&made); bridged.Exists() && err != nil {
		return false, err
	}
	if user.Exists() && theirs.DisplayName != "" && theirs.DisplayName != theirs.Name {
		if err := tx.Update(user.Ref, []firestore.Update{{Path: "name", Value: theirs.DisplayName}}); err != nil {
			return false, err
		}
	}
	come, gone := without(theirs.Following, made.Following), without(made.Following, theirs.Following)
	come = slices.DeleteFunc(come, func(author string) bool { return author == user.Ref.ID || !isPerson(author) })
	more = len(come)+len(gone) > atOnce
	come = come[:min(len(come), atOnce)]
	gone = gone[:min(len(gone), atOnce-len(come))]
	for _, author := range come {
		if err := tx.Set(follow(db, author, user.Ref.ID), map[string]any{"createdAt": firestore.ServerTimestamp}); err != nil {
			return false, err
		}
	}
	for _, author := range gone {
		if err := tx.Delete(follow(db, author, user.Ref.ID)); err != nil {
			return false, err
		}
	}
	made.Following = append(without(made.Following, gone), come...)
	if len(made.Following) == 0 && bridged.Exists() { // such as of a deleted account
		return more, tx.Delete(bridged.Ref)
	}
	if len(come)+len(gone) == 0 {
		return false, nil
	}
	return more, tx.Set(bridged.Ref, map[string]any{"following": made.Following})
}

// isPerson reports whether an id may be a person's. Ids of groups begin with g_. The owner of a closed group admits its members,
// so users must not join by writing its id.
func isPerson(id string) bool {
	return id != "" && len(id) <= 128 && id != "." && id != ".." && !strings.HasPrefix(id, "g_") && !strings.HasPrefix(id, "__") && !strings.Contains(id, "/")
}

func follow(db *firestore.Client, author, follower string) *firestore.DocumentRef {
	return db.Collection("users").Doc(author).Collection("followers").Doc(follower)
}

// without returns the ids in some that are not in others, each once.
func without(some, others []string) (rest []string) {
	not := map[string]bool{}
	for _, id := range others {
		not[id] = true
	}
	for _, id := range some {
		if !not[id] {
			rest, not[id] = append(rest, id), true
		}
	}
	return rest
}
