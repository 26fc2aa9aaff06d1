package clients

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// write is a write to one document.
type write struct {
	how    how
	path   string
	fields map[string]any
}

// writes returns the writes of an operation that is done now. A comment or a like is below a post with these fields.
func (o Op) writes(now time.Time, post map[string]any) []write {
	all := []write{{kinds[o.Kind].how, o.Document(), o.fields(now, post)}}
	switch {
	case o.Kind == Accept:
		all = append(all, Op{Kind: Follow, User: o.User, Author: o.Author}.writes(now, nil)...)
	case o.Kind == DeleteAccount && schema.IsGroup(o.User): // the tombstone keeps others from using the group's id
		all = append(all, write{whole, "_tombstones/" + o.User, map[string]any{}})
	}
	return all
}

// fields returns the fields that an operation writes.
func (o Op) fields(now time.Time, post map[string]any) map[string]any {
	switch o.Kind {
	case Follow, Block, HidePost:
		if !o.At.IsZero() {
			return map[string]any{"createdAt": o.At}
		}
		return created(nil)
	case Request:
		return created(map[string]any{"followerId": o.User})
	case CreatePost:
		return o.post(now)
	case Redate:
		return map[string]any{"createdAt": o.createdAt(now)}
	case Reword:
		return map[string]any{"text": o.Text}
	case Remood:
		return map[string]any{"mood": moods[o.Text]}
	case Rekind:
		return map[string]any{"kind": orDelete(o.PostKind, o.PostKind != "")}
	case Reassign:
		if o.Audience != "" {
			return map[string]any{"userId": o.NewAuthor, "audience": o.Audience}
		}
		return map[string]any{"userId": o.NewAuthor}
	case Readdress:
		return map[string]any{"audience": o.Audience}
	case Direct:
		return map[string]any{"to": orDelete(list(o.To), len(o.To) > 0)}
	case Hide, Show:
		return map[string]any{"hidden": o.Kind == Hide}
	case Close, Open:
		return map[string]any{"closed": o.Kind == Close}
	case Rename:
		return map[string]any{"name": o.Text}
	case Return, Overwrite:
		return profile(o.User)
	case Decide, See:
		return o.decision(now)
	case Read:
		return map[string]any{"readAt": o.At}
	case Like:
		return created(map[string]any{"userId": o.User, "postId": o.Post})
	case Comment:
		data := created(map[string]any{"userId": o.User, "text": "yes", "thread": thread(post)})
		if o.Audience != "" {
			data["audience"] = o.Audience
		}
		return data
	default:
		return nil
	}
}

// post returns the document of a new post. It refers to the accounts that it names.
func (o Op) post(now time.Time) map[string]any {
	post := map[string]any{"userId": o.Author, "createdAt": o.createdAt(now), "text": o.Text}
	if !o.Old {
		post["audience"], post["hidden"] = o.Audience, o.Hidden
	}
	if len(o.To) > 0 {
		post["to"], post["refs"] = list(o.To), list(o.To)
	}
	if o.PostKind != "" {
		post["kind"] = o.PostKind
	}
	return post
}

// idleFor is the absence of a reader who was seen long ago.
const idleFor = 49 * time.Hour

// decision returns the fields of a reader's settings. A client writes an empty list for no patterns.
func (o Op) decision(now time.Time) map[string]any {
	data := map[string]any{}
	if o.Kind == Decide {
		data["hide"], data["show"] = list(o.Hide), list(o.Show)
	}
	switch o.Text {
	case SeenLongAgo: // a server writes that, as time passes
		data["seenAt"] = now.Add(-idleFor)
	case SeenNow:
		data["seenAt"] = firestore.ServerTimestamp
	}
	return data
}

// thread returns the thread of comments on a post with these fields: author and audience.
func thread(post map[string]any) string {
	audience, given := post["audience"]
	if !given {
		audience = post["userId"]
	}
	return fmt.Sprintf("%v/%v", post["userId"], audience)
}

func profile(u string) map[string]any { return map[string]any{"name": "the account of " + u} }

// groupOf returns a group with an owner, in which members post.
func groupOf(owner string) map[string]any {
	return map[string]any{"name": "a group", "ownerId": owner, "closed": false, "post": "members"}
}

// created adds the time of the write to fields.
func created(fields map[string]any) map[string]any {
	if fields == nil {
		fields = map[string]any{}
	}
	fields["createdAt"] = firestore.ServerTimestamp
	return fields
}

// orDelete returns a field's value, or a deletion of the field.
func orDelete(value any, given bool) any {
	if given {
		return value
	}
	return firestore.Delete
}

// list returns texts as the client library decodes them.
func list(texts []string) []any {
	all := make([]any, len(texts))
	for n, text := range texts {
		all[n] = text
	}
	return all
}

// Apply makes the write of the operation, as a client does. It may be repeated.
func (o Op) Apply(ctx context.Context, client *firestore.Client) error {
	switch {
	case o.Kind == Forbidden:
		return fmt.Errorf("%s goes through the rules", o.Kind) // Try writes it
	case o.Kind == Comment || o.Kind == Like:
		return o.underPost(ctx, client)
	case o.Kind == Return:
		return comeBack(ctx, client, o)
	case o.Kind == Overwrite && o.Text == overwrites[1]:
		return overwrite(ctx, client.Doc(o.Document()), o)
	}
	return commit(ctx, client, o.writes(time.Now(), nil)...)
}

// commit makes writes at once.
func commit(ctx context.Context, client *firestore.Client, all ...write) (err error) {
	if len(all) > 1 {
		return client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) (err error) {
			for _, w := range all {
				if ref := client.Doc(w.path); w.how == remove {
					err = errors.Join(err, tx.Delete(ref))
				} else {
					err = errors.Join(err, tx.Set(ref, w.fields))
				}
			}
			return err
		})
	}
	switch w, ref := all[0], client.Doc(all[0].path); w.how {
	case whole:
		_, err = ref.Set(ctx, w.fields)
	case merge:
		_, err = ref.Set(ctx, w.fields, firestore.MergeAll)
	case update:
		var updates []firestore.Update
		for name, value := range w.fields {
			updates = append(updates, firestore.Update{Path: name, Value: value})
		}
		_, err = ref.Update(ctx, updates)
	case remove:
		_, err = ref.Delete(ctx)
	case look:
		_, err = ref.Get(ctx)
	}
	return err
}

// errNoPost is the rules' answer to a like or a comment on a missing post.
var errNoPost = errors.New("the post is gone")

// underPost writes a document below a post, as the rules allow: while the post exists.
func (o Op) underPost(ctx context.Context, client *firestore.Client) error {
	err := client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		docs, err := tx.GetAll([]*firestore.DocumentRef{client.Doc("posts/" + o.Post)})
		if err != nil {
			return err
		}
		if !docs[0].Exists() {
			return errNoPost
		}
		return tx.Create(client.Doc(o.Document()), o.fields(time.Now(), docs[0].Data()))
	})
	if errors.Is(err, errNoPost) || status.Code(err) == codes.AlreadyExists { // written by an attempt whose answer was lost
		return nil
	}
	return err
}

// purgePatience is the longest wait of a returning account for the end of its purge.
const purgePatience = 5 * time.Minute

var errMarked = errors.New("its purge is under way")

// comeBack creates an account again, as a server may: not while its purge is under way. So the account returns before the
// purge, or after it, and not an hour later, as clients do.
func comeBack(ctx context.Context, client *firestore.Client, o Op) error {
	ctx, cancel := context.WithTimeout(ctx, purgePatience)
	defer cancel()
	for {
		err := client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
			marks, err := tx.GetAll([]*firestore.DocumentRef{client.Collection(names.Purging).Doc(o.User)})
			if err == nil && schema.IsPurging(marks[0]) {
				err = errMarked
			}
			if err != nil {
				return err
			}
			return tx.Set(client.Doc(o.Document()), profile(o.User), firestore.MergeAll)
		})
		if !errors.Is(err, errMarked) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s comes back: %w: %w", o.User, context.Cause(ctx), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// overwrite sets a user document as a whole, with the functions' fields of before the newest index document.
func overwrite(ctx context.Context, ref *firestore.DocumentRef, o Op) error {
	data := profile(o.User)
	doc, err := ref.Get(ctx)
	if err != nil && status.Code(err) != codes.NotFound {
		return err
	}
	var has struct {
		IDs []string `firestore:"followers_index"`
	}
	if err := doc.DataTo(&has); doc.Exists() && err != nil {
		return err
	}
	if before := len(has.IDs) - 1; before > 0 {
		data["followers_index"], data["latestFollowersIndex"] = has.IDs[:before], has.IDs[before-1]
	}
	_, err = ref.Set(ctx, data)
	return err
}
