package survey

import (
	"reflect"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/timelines/layout"
)

// rule is a requirement for documents.
type rule struct {
	holds   func(doc *firestore.DocumentSnapshot) bool
	problem string // of documents that break the rule
	stops   share
	counted *field // documents without it break the rule; nil: no query counts the documents that keep the rule
}

// field is a field of a type. A query over the field's index counts the documents that have it: a range contains only
// values of one type.
type field struct {
	name  string
	least any // the least value of the type
}

func (f field) query(q firestore.Query) firestore.Query { return q.Where(f.name, ">=", f.least) }

// in reports whether the query counts a document.
func (f field) in(doc *firestore.DocumentSnapshot) bool {
	return reflect.TypeOf(schema.FieldsOf(doc, f.name)[f.name]) == reflect.TypeOf(f.least)
}

// share is the share of strange documents that stops an installation.
type share int

const (
	ofNone share = iota // they are only reported
	ofMost              // more than half: nothing would work for them
	ofAny               // functions would overwrite or delete them
)

// kinds lists the collections.
func kinds(c names.Collections) []kind {
	const owned = "functions overwrite and delete documents of this name: put the index below another collection, as RELATIONINDEX_USERS=graph does"
	const top = "functions overwrite and delete documents of this name: move yours, or give relationindex a database of its own with RELATIONINDEX_DATABASE"
	one := func(holds func(*firestore.DocumentSnapshot) bool, stops share, problem string) []rule {
		return []rule{{holds, problem, stops, nil}}
	}
	return []kind{
		{parent: c.Users, id: names.Following, fields: []string{names.FieldIndexID}, rules: one(has[string](names.FieldIndexID), ofAny, owned)},
		{parent: c.Users, id: names.FollowersIndex, fields: []string{names.FieldFollowers}, rules: one(has[[]any](names.FieldFollowers), ofAny, owned)},
		{parent: c.Users, id: names.Requests, fields: []string{names.FieldCreatedAt}, rules: one(has[time.Time](names.FieldCreatedAt), ofAny, owned)},
		{parent: c.Users, id: names.Notifications, fields: []string{"verb"}, rules: one(has[string]("verb"), ofAny, owned)},
		{
			parent: c.Posts, id: names.Likes, fields: []string{names.FieldUserID, names.FieldPostID, names.FieldCreatedAt},
			rules: one(func(doc *firestore.DocumentSnapshot) bool {
				return has[string](names.FieldUserID)(doc) && has[string](names.FieldPostID)(doc) && has[time.Time](names.FieldCreatedAt)(doc)
			}, ofNone, "without userId, postId and createdAt, they are counted (RELATIONINDEX_COUNTS), and nobody is told of them or finds their own"),
		},
		{id: names.Relations, fields: []string{names.FieldPostID}, rules: one(has[string](names.FieldPostID), ofAny, top)},
		{id: names.Jobs, fields: []string{"kind"}, rules: one(has[string]("kind"), ofAny, top)},
		{
			parent: c.Users, id: names.Timeline, fields: []string{layout.FieldPosts},
			rules: one(has[[]any](layout.FieldPosts), ofNone, "timelines (RELATIONINDEX_FEEDS) are written beside these, and leaves them alone; the rules let nobody write them"),
		},
		{
			parent: c.Users, id: names.Blocked, fields: []string{names.FieldCreatedAt},
			rules: one(has[time.Time](names.FieldCreatedAt), ofNone, "each counts as a block, whatever it has: the follow of its id ends"),
		},
		{
			parent: c.Users, id: c.Followers, fields: []string{},
			rules: one(isFollow, ofMost, "they are no follows: these are users/{followed}/followers/{follower}, with ids of at most 1,499 bytes, and not as __x__. relationindex import follows takes others from a file"),
		},
		{id: c.Users, fields: []string{"name"}, rules: []rule{
			{has[string]("name"), "an account without a name counts as closed: write one before others follow it", ofMost, &field{"name", ""}},
			{isAccount, "an account with an id above 1,499 bytes, or as __x__, is left out", ofMost, nil},
		}},
		{id: c.Posts, fields: []string{names.FieldUserID, names.FieldCreatedAt, names.FieldAudience, names.FieldHidden}, rules: []rule{
			{hasAuthor, "without the author's id in userId, nobody gets them: write userId by a server or a trigger", ofMost, &field{names.FieldUserID, ""}},
			{isPost, "with an id above 700 bytes or as __x__, nobody gets them", ofMost, nil},
			{
				has[time.Time](names.FieldCreatedAt), "without a timestamp in createdAt, lists, pull and backfills leave them out, and relations have the document's create time: write createdAt by a server or a trigger",
				ofMost, &field{names.FieldCreatedAt, time.Time{}},
			},
			{func(doc *firestore.DocumentSnapshot) bool {
				return has[string](names.FieldAudience)(doc) && has[bool](names.FieldHidden)(doc)
			}, "without audience and hidden, lists do not show them: relationindex fill-posts writes both after the installation", ofNone, nil},
		}},
	}
}

// has returns a function that reports whether a document has a field of a type, as all documents of relationindex have.
func has[T any](field string) func(*firestore.DocumentSnapshot) bool {
	return func(doc *firestore.DocumentSnapshot) bool {
		_, is := schema.FieldsOf(doc, field)[field].(T)
		return is
	}
}

func isAccount(doc *firestore.DocumentSnapshot) bool { return schema.CheckAccountID(doc.Ref.ID) == nil }

func isPost(doc *firestore.DocumentSnapshot) bool { return schema.CheckPostID(doc.Ref.ID) == nil }

func hasAuthor(doc *firestore.DocumentSnapshot) bool {
	return schema.CheckAccountID(schema.TextOf(doc, names.FieldUserID)) == nil
}

func isFollow(doc *firestore.DocumentSnapshot) bool {
	return schema.CheckFollow(doc.Ref.Parent.Parent.ID, doc.Ref.ID) == nil
}
