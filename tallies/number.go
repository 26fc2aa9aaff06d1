package tallies

import (
	"context"
	"path"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// numberPath returns the field of a number.
func numberPath(s Subject) firestore.FieldPath {
	return firestore.FieldPath{names.FieldCounts, s.Number}
}

// ref returns the document of a subject.
func (x *Tallies) ref(s Subject) *firestore.DocumentRef {
	switch {
	case s.ofPost():
		return x.db.Post(s.Of)
	case s.Number != "":
		return x.db.User(s.Of)
	case s.Verb == Mention:
		return x.db.NotificationOf(s.Of, s.Verb, s.Object)
	}
	return x.db.Notification(s.Of, s.Verb, s.Object)
}

// read reads the document of a subject. It costs a read.
func (x *Tallies) read(ctx context.Context, s Subject) (state, error) {
	ref := x.ref(s)
	if s.Number != "" { // documents of users and posts may have a mebibyte
		ctx = wire.WithMask(ctx, func(document string) bool { return path.Base(document) == ref.ID },
			names.FieldCounts, schema.FieldUserID, schema.FieldAudience)
	}
	docs, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{ref})
	if err != nil {
		return state{}, err
	}
	now := state{doc: docs[0], exists: docs[0].Exists(), updated: docs[0].UpdateTime}
	if now.exists && s.Number != "" {
		now.says = storedNumber(docs[0], s)
	} else if now.exists {
		now.says = schema.FieldsOf(docs[0], noteFields...)
	}
	return now, nil
}

// storedNumber returns a number as its document has it: 0 if it is missing.
func storedNumber(doc *firestore.DocumentSnapshot, s Subject) content {
	counts := schema.FieldsOf(doc, names.FieldCounts)
	if _, there := counts[names.FieldCounts]; !there {
		return content{s.Number: int64(0)}
	}
	value, err := doc.DataAtPath(numberPath(s))
	switch numbers, isMap := counts[names.FieldCounts].(map[string]any); {
	case err == nil:
		return content{s.Number: value}
	case isMap && numbers[s.Number] == nil:
		return content{s.Number: int64(0)}
	}
	return content{} // something else wrote the field
}

// due returns the fields that the document of a subject should have, counted now. A number costs a read for
// each thousand counted documents, at least one. Followers cost a read for each thousand index documents. A
// number without its document costs nothing. [Tallies.dueNote] gives the cost of a notification.
func (x *Tallies) due(ctx context.Context, s Subject, now state, e effort) (content, error) {
	if s.Number == "" {
		return x.dueNote(ctx, s, now, e)
	}
	if !now.exists {
		return nil, nil //nolint:nilnil // nothing is due
	}
	n, err := x.count(ctx, s, now.doc, e)
	return content{s.Number: n}, err
}

// count counts a number.
//
// An edge that only remembers a past follow is counted until it is settled: then its event counts again.
func (x *Tallies) count(ctx context.Context, s Subject, doc *firestore.DocumentSnapshot, e effort) (int64, error) {
	switch s.Number {
	case followersOf:
		return bulk.Sum(ctx, x.db.IndexDocuments(s.Of).Query, schema.FieldCount)
	case followingOf:
		return e.count(ctx, x.db.User(s.Of).Collection(names.Following).Query)
	case postsOf:
		posts := x.db.Client.Collection(x.db.Config.Collections().Posts)
		return e.count(ctx, posts.Where(schema.FieldAudience, "==", s.Of).Where(schema.FieldHidden, "==", false))
	case likesOf:
		return e.count(ctx, x.likes(s.Of))
	}
	return e.count(ctx, x.thread(doc))
}

// likes returns the likes of a post.
func (x *Tallies) likes(p string) firestore.Query {
	return x.db.Post(p).Collection(names.Likes).Query
}

// thread returns the comments on a post that were written to its current author and audience, as rules show
// them.
func (x *Tallies) thread(post *firestore.DocumentSnapshot) firestore.Query {
	fields := schema.FieldsOf(post, schema.FieldUserID, schema.FieldAudience)
	author, _ := fields[schema.FieldUserID].(string)
	audience, given := fields[schema.FieldAudience].(string)
	if !given {
		audience = author
	}
	return post.Ref.Collection(names.Comments).Where(schema.FieldThread, "==", author+"/"+audience)
}
