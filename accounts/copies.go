package accounts

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/logging"
	"example.com/relationindex/schema"
)

// named holds the accounts whose fields a post copies.
type named struct {
	author string   // "" without author fields
	refs   []string // ids that may be accounts
	bad    bool     // the post's refs are damaged: its ref fields stay as they are
}

// namedBy returns the accounts that a post names. It logs damaged refs.
func (x *Lifecycle) namedBy(ctx context.Context, post *firestore.DocumentSnapshot) named {
	var n named
	if author := schema.TextOf(post, schema.FieldUserID); len(schema.ParseProfileFields(x.db.Config.AuthorFields)) > 0 && schema.CheckAccountID(author) == nil {
		n.author = author
	}
	if len(schema.ParseProfileFields(x.db.Config.RefFields)) == 0 {
		return n
	}
	refs, err := refsOf(post)
	if err != nil {
		x.db.Config.Logger.WarnContext(ctx, "post has damaged refs; it copies no names for them", logging.Document, post.Ref.Path, logging.Damage, err)
		n.bad = true
	}
	n.refs = slices.DeleteFunc(refs, func(id string) bool { return schema.CheckPostID(id) != nil }) // a longer id does not fit a field path
	return n
}

// accounts returns the ids of the user documents to read, each once.
func (n named) accounts() []string {
	ids := slices.Clone(n.refs)
	if n.author != "" {
		ids = append(ids, n.author)
	}
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return schema.CheckAccountID(id) != nil })
}

// refsOf returns the ids in a post's field refs.
func refsOf(post *firestore.DocumentSnapshot) ([]string, error) {
	value, given := schema.FieldsOf(post, schema.FieldRefs)[schema.FieldRefs]
	if !given {
		return nil, nil
	}
	list, ok := value.([]any)
	if !ok || len(list) > schema.MaxRefs {
		return nil, fmt.Errorf("refs must be an array of at most %d ids", schema.MaxRefs)
	}
	refs := make([]string, len(list))
	for i, id := range list {
		if refs[i], ok = id.(string); !ok {
			return nil, errors.New("refs must contain only strings")
		}
	}
	return refs, nil
}

// copies returns updates that make a post's copies of a user document right. The copies are fields of the author, and
// fields below each id in the post's refs. It returns none if there is no profile. A field that is missing, or cannot be
// decoded, is deleted from the post.
func (x *Lifecycle) copies(post *firestore.DocumentSnapshot, n named, user *firestore.DocumentSnapshot) []firestore.Update {
	u := user.Ref.ID
	if !schema.HasProfile(user) {
		return nil
	}
	var updates []firestore.Update
	set := func(field string, path ...string) {
		value, ok := schema.FieldsOf(user, field)[field]
		if _, bad := value.(schema.Undecodable); bad || !ok {
			value = firestore.Delete
		}
		if differs(post, path, value) {
			updates = append(updates, firestore.Update{FieldPath: path, Value: value})
		}
	}
	if n.author == u {
		for _, f := range schema.ParseProfileFields(x.db.Config.AuthorFields) {
			set(f.User, f.Post)
		}
	}
	if slices.Contains(n.refs, u) {
		for _, f := range schema.ParseProfileFields(x.db.Config.RefFields) {
			set(f.User, f.Post, u)
		}
	}
	return updates
}

// forgotten returns updates that delete the copies for ids that a post no longer refers to.
func (x *Lifecycle) forgotten(post *firestore.DocumentSnapshot, n named) []firestore.Update {
	if n.bad {
		return nil
	}
	var updates []firestore.Update
	for _, f := range schema.ParseProfileFields(x.db.Config.RefFields) {
		copied, _ := schema.FieldsOf(post, f.Post)[f.Post].(map[string]any)
		for id := range copied {
			if id != "" && !slices.Contains(n.refs, id) {
				updates = append(updates, firestore.Update{FieldPath: firestore.FieldPath{f.Post, id}, Value: firestore.Delete})
			}
		}
	}
	return updates
}

// differs reports whether a field of the post has another value. A field below a field that is no map does not exist, so
// it needs no deletion.
func differs(post *firestore.DocumentSnapshot, path firestore.FieldPath, value any) bool {
	have, err := post.DataAtPath(path)
	if value == firestore.Delete {
		_, missing := errors.AsType[*firestore.FieldNotFoundError](err)
		return err == nil || len(path) == 1 && !missing
	}
	return err != nil || !schema.SameValue(have, value)
}
