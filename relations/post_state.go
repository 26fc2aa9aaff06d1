package relations

import (
	"cmp"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// PostState is the part of a post that its relations depend on.
type PostState struct {
	ID     string
	Author string
	// Audience is whose followers get the post; "" for nobody: see [schema.AudienceOf].
	Audience string
	// Recipients get the post directly, sorted: see [schema.RecipientsOf].
	Recipients []string
	Fields     map[string]any // the fields that relations copy; always with createdAt
	// Bad is what is wrong with the post's audience or recipients; nil if nothing is.
	Bad error
}

// ReadPost decodes a post document. It returns ErrBadDocument if the post has no valid
// author.
func (x *Delivery) ReadPost(snap *firestore.DocumentSnapshot) (PostState, error) {
	data := schema.FieldsOf(snap, append(names.PostFields(), x.db.Options.CopiedFields...)...)
	author, ok := data[schema.FieldUserID].(string)
	if !ok {
		return PostState{}, schema.BadDocument(snap.Ref.Path, "%s is not a string", schema.FieldUserID)
	}
	if err := schema.CheckAuthorID(author); err != nil {
		return PostState{}, schema.BadDocument(snap.Ref.Path, "%s: %v", schema.FieldUserID, err)
	}
	post := PostState{ID: snap.Ref.ID, Author: author, Fields: copiedFields(data, snap.CreateTime, x.db.Options.CopiedFields)}
	var noAudience, noRecipients error
	post.Audience, noAudience = schema.AudienceOf(author, data)
	post.Recipients, noRecipients = schema.RecipientsOf(author, data, x.db.Options.OwnPosts)
	switch {
	case noAudience != nil && noRecipients != nil:
		post.Bad = schema.BadDocument(snap.Ref.Path, "%v; %v", noAudience, noRecipients)
	case noAudience != nil || noRecipients != nil:
		post.Bad = schema.BadDocument(snap.Ref.Path, "%v", cmp.Or(noAudience, noRecipients))
	}
	return post, nil
}

// copiedFields returns the fields that a relation copies from a post with data. Without
// a valid createdAt, it uses the document's create time: a relation without createdAt
// would be missing from the feed's index. It skips a field that cannot be decoded.
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
