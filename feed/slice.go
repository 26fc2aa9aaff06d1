package feed

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// ErrRef is the error for a ref that is not 1 to [MaxRef] characters of valid UTF-8.
var ErrRef = fmt.Errorf("ref must be 1 to %d characters", MaxRef)

// MaxRef is the most characters of an id in a post's field refs, as in the rules.
const MaxRef = 128

// CheckRef returns [ErrRef] for a ref that no post can have.
func CheckRef(ref string) error {
	if n := utf8.RuneCountInString(ref); n < 1 || n > MaxRef || !utf8.ValidString(ref) {
		return ErrRef
	}
	return nil
}

// slice is the source of one page of a slice: the posts that refer to an id, except posts that the reader may not read.
// A hidden post is for nobody.
type slice struct {
	feed *Feed
	scope
	newer time.Time // see reading
	// readable holds, for each audience that the page has looked up, whether the reader may read its posts.
	readable map[string]bool
}

// entries costs a read for each post found and for each audience that the page has not looked up yet. A closed audience,
// or one without a profile, costs another read.
func (s *slice) entries(ctx context.Context, after position, limit int) ([]entry, bool, error) {
	q := newest(s.feed.client.Collection(s.feed.names.Posts).Where(schema.FieldRefs, "array-contains", s.ref), after, s.newer).
		Select(sliceFields...)
	docs, n, _, err := thatFit(ctx, limit, pageBytes, func(ctx context.Context, n int) ([]*firestore.DocumentSnapshot, error) {
		return q.Limit(n).Documents(ctx).GetAll()
	})
	if err != nil {
		return nil, false, fmt.Errorf("query of posts: %w", err)
	}
	found := make([]entry, len(docs))
	var audiences []string
	for n, doc := range docs {
		found[n] = s.entry(doc)
		if a := found[n].audience; a != "" {
			audiences = append(audiences, a)
		}
	}
	if err := s.lookUp(ctx, audiences); err != nil {
		return nil, false, fmt.Errorf("batch get of audiences: %w", err)
	}
	for n, e := range found {
		if e.audience != "" && !s.readable[e.audience] {
			found[n].post = ""
		}
	}
	return found, len(docs) == n, nil
}

var sliceFields = []string{schema.FieldUserID, schema.FieldCreatedAt, schema.FieldAudience, schema.FieldTo, schema.FieldHidden}

// entry returns the entry of a post. The entry has no audience if the reader wrote the post or is named in it. The entry
// has no post if only an audience could give the reader access, and the post has none.
func (s *slice) entry(doc *firestore.DocumentSnapshot) entry {
	post := schema.FieldsOf(doc, sliceFields...)
	e := entry{name: doc.Ref.ID, post: doc.Ref.ID}
	e.author, _ = post[schema.FieldUserID].(string)
	e.createdAt, _ = post[schema.FieldCreatedAt].(time.Time)
	if e.fits(post, s.reader) {
		return e
	}
	e.audience, _ = schema.AudienceOf(e.author, post)
	if schema.CheckAccountID(e.audience) != nil { // nobody's, or the author has no valid id
		e.post, e.audience = "", ""
	}
	return e
}

// lookUp finds out which audiences the reader may read, each once a page. As in the rules, these are open audiences, the
// reader's own groups, and audiences that the reader follows.
func (s *slice) lookUp(ctx context.Context, audiences []string) error {
	audiences = slices.DeleteFunc(audiences, func(a string) bool { _, known := s.readable[a]; return known })
	slices.Sort(audiences)
	audiences = slices.Compact(audiences)
	users := s.feed.client.Collection(s.feed.names.Users)
	var refs, follows []*firestore.DocumentRef
	for _, a := range audiences {
		refs = append(refs, users.Doc(a))
	}
	all := func(string) bool { return true }
	docs, err := s.feed.get(wire.WithMask(ctx, all, audienceFields...), refs)
	if err != nil {
		return err
	}
	for _, doc := range docs {
		id, audience := doc.Ref.ID, schema.FieldsOf(doc, audienceFields...)
		closed, given := audience[fieldClosed]
		_, named := audience[fieldName].(string)
		switch {
		case schema.IsGroup(id) && audience[fieldOwnerID] == s.reader:
			s.readable[id] = true
		case schema.IsGroup(id) && !named: // it is gone
			s.readable[id] = false
		case named && (!given || closed == false):
			s.readable[id] = true
		default:
			follows = append(follows, doc.Ref.Collection(s.feed.names.Followers).Doc(s.reader))
		}
	}
	docs, err = s.feed.get(ctx, follows)
	for _, doc := range docs {
		s.readable[doc.Ref.Parent.Parent.ID] = doc.Exists()
	}
	return err
}

// Fields of an audience that decide who may read its posts. Every profile has a name, and functions do not write names.
// After the deletion of a closed account, functions may leave a document without a name.
const (
	fieldName    = "name"
	fieldOwnerID = "ownerId"
	fieldClosed  = "closed"
)

var audienceFields = []string{fieldName, fieldOwnerID, fieldClosed}
