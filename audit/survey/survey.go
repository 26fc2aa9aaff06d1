// Package survey looks at what an app has in its database before relationindex is installed there.
// It serves the command line alone. It changes nothing.
package survey

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/timelines/layout"
)

// MaxCounted is how many documents of a collection are counted, at a read for each thousand.
const MaxCounted = 1_000_000

// MaxSample is the most documents of a collection that are looked at.
const MaxSample = 1000

// Finding is what a collection has.
type Finding struct {
	Collection string `json:"collection"` // "users/*/following"
	// Documents is how many there are, at most MaxCounted. Of one below others, those of its name count
	// wherever they are.
	Documents int64  `json:"documents"`
	Sampled   int    `json:"sampled"`           // of which so many were read
	Strange   int    `json:"strange"`           // of which so many are not as relationindex has them
	Example   string `json:"example,omitempty"` // the path of a strange one
	Problem   string `json:"problem,omitempty"` // what comes of the strange ones, and what to do; empty: none are
	Stops     bool   `json:"stops"`             // it has to be solved before relationindex is installed
}

func (f Finding) String() string {
	text := fmt.Sprintf("%s: %d documents", f.Collection, f.Documents)
	if f.Documents >= MaxCounted {
		text = fmt.Sprintf("%s: at least %d documents", f.Collection, f.Documents)
	}
	if f.Documents > 0 {
		text += fmt.Sprintf(", of %d read %d strange", f.Sampled, f.Strange)
	}
	if f.Problem != "" {
		text += fmt.Sprintf(", as %s: %s", f.Example, f.Problem)
	}
	return text
}

// Collections looks at each collection that relationindex reads or writes, and returns a finding for
// each. sample is how many documents of each it samples, 1 to [MaxSample]: in the order of names, from
// four places, three of them by chance. progress, which may be nil, gets how many collections are done. It may be called again.
//
// It costs at most twice sample reads for each collection, and one for each thousand documents, up to
// [MaxCounted]. It returns what these were.
func Collections(ctx context.Context, db *schema.Database, sample int, progress func(collections int64)) (found []Finding, reads int64, err error) {
	if sample < 1 || sample > MaxSample {
		return nil, 0, fmt.Errorf("survey: %d documents of a collection: must be 1 to %d", sample, MaxSample)
	}
	for _, k := range kinds(db.Options.Collections) {
		f, cost, err := k.look(ctx, db, sample)
		if reads += cost; err != nil {
			return nil, reads, fmt.Errorf("survey of %s: %w", k.path(), err)
		}
		if found = append(found, f); progress != nil {
			progress(int64(len(found)))
		}
	}
	return found, reads, nil
}

// kind is a collection, and how its documents are to be.
type kind struct {
	parent, id string   // of a collection below documents of parent; parent "": at the top
	fields     []string // that are read
	isOurs     func(doc *firestore.DocumentSnapshot) bool
	problem    string
	stops      bool
}

func (k kind) path() string {
	if k.parent == "" {
		return k.id
	}
	return k.parent + "/*/" + k.id
}

func (k kind) query(db *schema.Database) firestore.Query {
	if k.parent == "" {
		return db.Client.Collection(k.id).Query
	}
	return db.Client.CollectionGroup(k.id).Query
}

// starts is from how many places a sample is read: all documents of one user would say little. The last
// is the beginning, which fills the sample of a collection that has few.
const starts = 4

func (k kind) look(ctx context.Context, db *schema.Database, sample int) (f Finding, reads int64, err error) {
	f.Collection = k.path()
	if f.Documents, err = bulk.Count(ctx, k.query(db).Limit(MaxCounted)); err != nil {
		return f, 0, err
	}
	reads = 1 + f.Documents/1000
	seen := map[string]bool{}
	for n := range starts {
		q := k.query(db).OrderBy(firestore.DocumentID, firestore.Asc).Select(k.fields...).Limit(sample)
		if n < starts-1 {
			q = q.StartAt(k.somewhere(db)).Limit(sample / starts)
		}
		for doc, err := range store.Documents(ctx, q) {
			if err != nil {
				return f, reads, err
			}
			reads++
			if seen[doc.Ref.Path] || len(seen) == sample || k.parent != "" && !k.isBelow(db, doc.Ref) {
				continue
			}
			seen[doc.Ref.Path] = true
			if !k.isOurs(doc) {
				f.Strange++
				_, f.Example, _ = strings.Cut(doc.Ref.Path, "/documents/")
			}
		}
	}
	if f.Sampled = len(seen); f.Strange > 0 {
		f.Problem, f.Stops = k.problem, k.stops
	}
	return f, reads, nil
}

// isBelow reports whether a document of a collection group is of this collection, and not of one of the
// same name elsewhere.
func (k kind) isBelow(db *schema.Database, ref *firestore.DocumentRef) bool {
	parent := ref.Parent.Parent
	return parent != nil && parent.Path == db.Client.Collection(k.parent).Doc(parent.ID).Path
}

// somewhere is a name by chance: ids that Firestore and Firebase make begin with a letter or digit.
func (k kind) somewhere(db *schema.Database) *firestore.DocumentRef {
	const first = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	id := string([]byte{first[rand.IntN(len(first))], first[rand.IntN(len(first))]}) //nolint:gosec // a place in a sample
	if k.parent == "" {
		return db.Client.Collection(k.id).Doc(id)
	}
	return db.Client.Collection(k.parent).Doc(id).Collection(k.id).Doc(id)
}

// kinds lists the collections.
func kinds(c names.Collections) []kind {
	const owned = "functions overwrite and delete documents of this name: put the index below another collection, as RELATIONINDEX_USERS=graph does"
	const top = "functions overwrite and delete documents of this name: move yours, or give relationindex a database of its own with RELATIONINDEX_DATABASE"
	return []kind{
		{parent: c.Users, id: names.Following, fields: []string{names.FieldIndexID}, isOurs: has[string](names.FieldIndexID), problem: owned, stops: true},
		{parent: c.Users, id: names.FollowersIndex, fields: []string{names.FieldFollowers}, isOurs: has[[]any](names.FieldFollowers), problem: owned, stops: true},
		{parent: c.Users, id: names.Requests, fields: []string{names.FieldCreatedAt}, isOurs: has[time.Time](names.FieldCreatedAt), problem: owned, stops: true},
		{id: names.Relations, fields: []string{names.FieldPostID}, isOurs: has[string](names.FieldPostID), problem: top, stops: true},
		{id: names.Jobs, fields: []string{"kind"}, isOurs: has[string]("kind"), problem: top, stops: true},
		{
			parent: c.Users, id: names.Timeline, fields: []string{layout.FieldPosts}, isOurs: has[[]any](layout.FieldPosts),
			problem: "RELATIONINDEX_TIMELINE writes beside these, and leaves them alone; the rules let nobody write them",
		},
		{
			parent: c.Users, id: names.Blocked, fields: []string{names.FieldCreatedAt}, isOurs: has[time.Time](names.FieldCreatedAt),
			problem: "each counts as a block, whatever it has: the follow of its id ends",
		},
		{
			parent: c.Users, id: c.Followers, fields: []string{}, isOurs: isFollow,
			problem: "they are no follows: these are users/{followed}/followers/{follower}, with ids of at most 1,499 bytes, and not as __x__. relationindex import follows takes others from a file",
		},
		{
			id: c.Users, fields: []string{"name"},
			isOurs: func(doc *firestore.DocumentSnapshot) bool {
				return has[string]("name")(doc) && schema.CheckAccountID(doc.Ref.ID) == nil
			},
			problem: "an account without a name counts as closed: write one before others follow it. One with an id above 1,499 bytes, or as __x__, is left out",
		},
		{
			id: c.Posts, fields: []string{names.FieldUserID, names.FieldHidden},
			isOurs: func(doc *firestore.DocumentSnapshot) bool {
				return has[string](names.FieldUserID)(doc) && has[bool](names.FieldHidden)(doc) && schema.CheckPostID(doc.Ref.ID) == nil
			},
			problem: "without userId, or with an id above 700 bytes or as __x__, nobody gets them; without hidden, lists do not show them: relationindex fill-posts writes audience and hidden after the installation",
		},
	}
}

// has returns what reports whether a document has a field of a type, as all of relationindex have.
func has[T any](field string) func(*firestore.DocumentSnapshot) bool {
	return func(doc *firestore.DocumentSnapshot) bool {
		_, is := schema.FieldsOf(doc, field)[field].(T)
		return is
	}
}

func isFollow(doc *firestore.DocumentSnapshot) bool {
	return schema.CheckFollow(doc.Ref.Parent.Parent.ID, doc.Ref.ID) == nil
}
