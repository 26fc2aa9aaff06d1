package posts

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Post holds the parts of a post that deliveries use.
type Post struct {
	ID     string
	Author string
	// Audience is the account whose followers get the post; "" for nobody: see [schema.AudienceOf].
	Audience string
	// Recipients get the post directly, sorted: see [schema.RecipientsOf].
	Recipients []string
	// Kind is the app's word for the type of the post: the field kind, if it is a text of at most [maxKind] characters;
	// else "".
	Kind             string
	Refs             []string       // ids of the post's subjects; values that are no texts are left out
	Fields           map[string]any // the fields that deliveries copy; always with createdAt
	Created, Updated time.Time      // of the document
	// Counted reports that functions have written numbers into the post: then Updated does not show a client's or
	// server's edit.
	Counted bool
	// Bad is the error in the post's audience or recipients; nil if there is none.
	Bad error
}

// maxKind is the most characters of a kind, as the rules count them. The kind is stored in each reader's timeline.
const maxKind = 100

// CreatedAt returns the time that orders the post in feeds.
func (p Post) CreatedAt() time.Time {
	t, _ := p.Fields[schema.FieldCreatedAt].(time.Time)
	return t
}

// young is how long a counted post still counts as fresh.
const young = time.Hour

// Fresh reports whether the post is unchanged since it was created: then most of its readers lack it. A counted post
// does not show an edit. For such a post, Fresh reports whether it is young.
func (p Post) Fresh() bool {
	return p.Created.Equal(p.Updated) || p.Counted && time.Since(p.Created) < young
}

// Bare returns the post without the fields to copy, except createdAt.
func (p Post) Bare() Post {
	p.Fields = map[string]any{schema.FieldCreatedAt: p.Fields[schema.FieldCreatedAt]}
	return p
}

// Only returns a context in which reads of posts by name return only the fields that [Decode] needs. A whole post may
// have a mebibyte.
func Only(ctx context.Context, db *schema.Database) context.Context {
	posts := db.Client.Collection(db.Config.Collections().Posts).Path
	return wire.WithMask(ctx, func(document string) bool { return path.Dir(document) == posts }, fields(db.Config)...)
}

// OnlyBeside is [Only] for reads of posts together with index documents, which are returned whole.
func OnlyBeside(ctx context.Context, db *schema.Database) context.Context {
	posts := db.Client.Collection(db.Config.Collections().Posts).Path
	return wire.WithMask(ctx, func(document string) bool {
		in := path.Dir(document)
		return in == posts || path.Base(in) == names.FollowersIndex
	}, append(fields(db.Config), schema.IndexFields()...)...)
}

func fields(o schema.Config) []string {
	all := slices.Sorted(slices.Values(slices.Concat(names.PostFields(), []string{names.FieldKind, names.FieldCounts}, o.CopiedFields)))
	return slices.Compact(all)
}

// Decode decodes a post document that exists. It returns ErrBadDocument if the post has no
// valid author, or an id that no post may have.
func Decode(o schema.Config, doc *firestore.DocumentSnapshot) (Post, error) {
	if err := schema.CheckPostID(doc.Ref.ID); err != nil {
		return Post{}, schema.BadDocument(doc.Ref.Path, "%w", err)
	}
	data := schema.FieldsOf(doc, fields(o)...)
	author, ok := data[schema.FieldUserID].(string)
	if !ok {
		return Post{}, schema.BadDocument(doc.Ref.Path, "%s is not a string", schema.FieldUserID)
	}
	if err := schema.CheckAccountID(author); err != nil {
		return Post{}, schema.BadDocument(doc.Ref.Path, "%s: %w", schema.FieldUserID, err)
	}
	post := Post{
		ID: doc.Ref.ID, Author: author, Fields: copiedFields(data, doc.CreateTime, o.CopiedFields),
		Created: doc.CreateTime, Updated: doc.UpdateTime,
	}
	_, post.Counted = data[names.FieldCounts]
	refs, _ := data[schema.FieldRefs].([]any)
	for _, ref := range refs[:min(len(refs), schema.MaxRefs)] {
		if id, ok := ref.(string); ok {
			post.Refs = append(post.Refs, id)
		}
	}
	if kind, _ := data[names.FieldKind].(string); utf8.RuneCountInString(kind) <= maxKind {
		post.Kind = kind
	}
	var noAudience, noRecipients error
	post.Audience, noAudience = schema.AudienceOf(author, data)
	post.Recipients, noRecipients = schema.RecipientsOf(author, data, !o.NoOwnPosts)
	switch {
	case noAudience != nil && noRecipients != nil: // in one line of the log
		post.Bad = schema.BadDocument(doc.Ref.Path, "%w; %w", noAudience, noRecipients)
	case noAudience != nil || noRecipients != nil:
		post.Bad = schema.BadDocument(doc.Ref.Path, "%w", cmp.Or(noAudience, noRecipients))
	}
	return post, nil
}

// Current returns post p as it is now; nil if it is gone or bad. A job for the post must cover generation, which is
// unique to this state of the post. Current returns ErrBadDocument if the post has no valid author. It costs a read.
func Current(ctx context.Context, db *schema.Database, p string) (post *Post, generation string, err error) {
	docs, err := db.Client.GetAll(Only(ctx, db), []*firestore.DocumentRef{db.Post(p)})
	if err != nil {
		return nil, "", err
	}
	doc := docs[0]
	if !doc.Exists() {
		// Two deletions of a post must not look the same to a job that is done.
		return nil, "gone " + strconv.FormatInt(doc.ReadTime.UnixNano(), 10), nil
	}
	generation = schema.Generation(doc.UpdateTime)
	now, err := Decode(db.Config, doc)
	if event, ok := ctx.Value(eventKey{}).(string); ok && now.Counted {
		generation = event
	}
	if err != nil {
		return nil, generation, err
	}
	return &now, generation, nil
}

type eventKey struct{}

// OfEvent returns a context for the event of a write of a post at the time updated. If functions have counted the post
// since that write, [Current] returns the generation of that write in place of the last one. A job that covers that
// generation was enqueued after the write. So an event that comes twice finds the job that it enqueued, however often
// the post was counted in between.
func OfEvent(ctx context.Context, updated time.Time) context.Context {
	return context.WithValue(ctx, eventKey{}, schema.Generation(updated))
}

type namingKey struct{}

// NamingOnly returns a context for work that may bring posts to these people by name, and to nobody else whom a post names
// by now: the write that names others has an event of its own.
func NamingOnly(ctx context.Context, people []string) context.Context {
	return context.WithValue(ctx, namingKey{}, people)
}

// Limited reports whether the work of a context may bring posts only to some of the people whom they name: see [NamingOnly].
// A job that such work leaves brings posts by name to nobody: later writes may have named others.
func Limited(ctx context.Context) bool { return ctx.Value(namingKey{}) != nil }

// ByName returns the recipients to whom the work of a context may bring the post: see [NamingOnly].
func (p Post) ByName(ctx context.Context) []string {
	people, some := ctx.Value(namingKey{}).([]string)
	return slices.DeleteFunc(slices.Clone(p.Recipients), func(r string) bool { return some && r != p.Author && !slices.Contains(people, r) })
}

// copiedFields returns the fields that a delivery copies from a post with data. Without
// a valid createdAt, it uses the document's create time: a copy without createdAt
// would be missing from the index of a feed. It skips a field that cannot be decoded.
// Beyond MaxCopiedBytes or MaxCopiedEntries, it leaves out all configured fields.
func copiedFields(data map[string]any, created time.Time, names []string) map[string]any {
	fields := map[string]any{}
	for _, name := range names {
		v, ok := data[name]
		if _, bad := v.(schema.Undecodable); ok && !bad {
			fields[name] = v
		}
	}
	if schema.ValueBytes(fields) > schema.MaxCopiedBytes || schema.EntriesOf(fields) > schema.MaxCopiedEntries {
		clear(fields)
	}
	fields[schema.FieldCreatedAt] = created
	if t, ok := data[schema.FieldCreatedAt].(time.Time); ok {
		fields[schema.FieldCreatedAt] = t
	}
	return fields
}
