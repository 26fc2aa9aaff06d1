package feed

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Query returns the query that a reader's client sends: the relations of the newest posts of everyone that the reader
// follows, newest first. Rules require a limit of at most [MaxLimit]. Each relation found costs one read, and is
// downloaded whole unless you select fields. A post has two relations with a reader if it names the reader and the
// reader also follows its audience.
func Query(client *firestore.Client, reader string) firestore.Query {
	return client.Collection(names.Relations).
		Where("followers", "array-contains", reader).
		OrderBy("createdAt", firestore.Desc)
}

// relations is the source of a reader's feed. A post has an entry for each relation that
// names the reader.
type relations struct {
	feed   *Feed
	reader string
	newer  time.Time // see reading
}

// relation holds the fields of _relations/{id} that a page needs.
type relation struct {
	PostID    string    `firestore:"postId"`
	UserID    string    `firestore:"userId"`
	Audience  string    `firestore:"audience"`
	CreatedAt time.Time `firestore:"createdAt"`
}

// entries costs a read for each relation. The follower arrays stay in Firestore. With a horizon, it returns errHorizon
// together with the last entries on this side of the horizon, unless newer is younger too.
func (s relations) entries(ctx context.Context, after position, limit int) ([]entry, bool, error) {
	horizon, err := s.feed.horizons.Read(ctx)
	if err != nil {
		return nil, false, err
	}
	oldest := s.feed.oldest(horizon.Feed)
	if after.name != "" && !oldest.IsZero() && !after.createdAt.After(oldest) {
		return nil, false, errHorizon // Firestore rejects a query that goes on from outside its range
	}
	end, horizonEnds := oldest, !oldest.IsZero()
	if s.newer.After(oldest) {
		end, horizonEnds = s.newer, false
	}
	q := Query(s.feed.client, s.reader).OrderBy(firestore.DocumentID, firestore.Desc).
		Select("postId", "userId", "audience", "createdAt").
		Limit(limit)
	if !end.IsZero() {
		q = q.Where(schema.FieldCreatedAt, ">", end)
	}
	if after.name != "" {
		q = q.StartAfter(after.createdAt, after.name)
	}
	docs, err := q.Documents(ctx).GetAll()
	if err != nil {
		return nil, false, fmt.Errorf("query of relations: %w", err)
	}
	found := make([]entry, len(docs))
	for n, doc := range docs {
		if found[n], err = relationEntry(doc); err != nil {
			return nil, false, err
		}
	}
	more := len(docs) == limit
	if !more && horizonEnds {
		err = errHorizon
	}
	return found, more, err
}

func relationEntry(doc *firestore.DocumentSnapshot) (entry, error) {
	var r relation
	if err := doc.DataTo(&r); err != nil {
		return entry{}, fmt.Errorf("%s/%s is damaged: %w", names.Relations, doc.Ref.ID, err)
	}
	if len(doc.Ref.ID) > maxRelationID {
		return entry{}, fmt.Errorf("%s/%s is not a relation: its id is too long", names.Relations, doc.Ref.ID)
	}
	e := entry{name: doc.Ref.ID, createdAt: r.CreatedAt, post: r.PostID, author: r.UserID, audience: r.Audience, stem: stemOf(doc.Ref.ID)}
	if schema.CheckPostID(r.PostID) != nil {
		e.post = ""
	}
	return e, nil
}

// stemOf returns the post's part of a relation's id: "p1" of "p1_00002".
func stemOf(relationID string) string {
	return relationID[:max(0, strings.LastIndexByte(relationID, '_'))]
}
