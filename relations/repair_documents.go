package relations

import (
	"context"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"
)

// mending is what an index document needs to agree with itself.
type mending int

const (
	sound   mending = iota // nothing
	recount                // correct count and size, for the same followers
	rewrite                // other followers, or a version that no change log leads to
)

// mendIndex returns what the index document should be, and what it needs for that. It
// judges the document by itself alone, not by who follows. A missing document, between
// others, is made without followers. An unreadable document keeps the ids that can be
// read.
//
// A rewritten document has no changes and is not backfilled, so every relation of it is
// copied whole. Its version is new: one more, or the time in milliseconds if the version
// is lost.
func mendIndex(doc *firestore.DocumentSnapshot, now time.Time) (IndexDocument, mending) {
	var index IndexDocument
	readable := doc.Exists() && doc.DataTo(&index) == nil
	if !readable {
		index = salvage(fieldsOf(doc, fieldFollowers, fieldVersion), now)
	}
	newest := index.Version
	if n := len(index.Changes); n > 0 {
		newest = index.Changes[n-1].Version
	}
	followers, size := distinct(index.Followers)
	whole := !readable || len(followers) < len(index.Followers) || newest != index.Version
	recounted := index.Count != len(followers) || index.SizeBytes != size
	index.Followers, index.Count, index.SizeBytes = followers, len(followers), size
	switch {
	case whole:
		index.Version = max(index.Version, newest) + 1
		index.Changes, index.Backfilled = []Change{}, false
		return index, rewrite
	case recounted:
		return index, recount
	default:
		return index, sound
	}
}

// salvage returns what can be read of an index document that is missing or unreadable.
func salvage(data map[string]any, now time.Time) IndexDocument {
	var index IndexDocument
	values, _ := data[fieldFollowers].([]any)
	for _, v := range values {
		if f, ok := v.(string); ok {
			index.Followers = append(index.Followers, f)
		}
	}
	var ok bool
	if index.Version, ok = data[fieldVersion].(int64); !ok {
		index.Version = now.UnixMilli()
	}
	return index
}

// distinct returns the valid ids among followers, each once, and their size.
func distinct(followers []string) (ids []string, size int) {
	ids = []string{}
	seen := map[string]bool{}
	for _, f := range followers {
		if !seen[f] && CheckID(f) == nil {
			seen[f] = true
			ids = append(ids, f)
			size += idBytes(f)
		}
	}
	return ids, size
}

// indexNumber returns n of indexID(n).
func indexNumber(id string) (n int, ok bool) {
	n, err := strconv.Atoi(id)
	return n, err == nil && n > 0 && indexID(n) == id
}

// mendIndexDocument mends an index document in a transaction of its own, and returns what
// it needed. Before it rewrites an existing document, it calls may, unless nil. If may
// returns an error, it returns that, and writes nothing.
//
// A crash after it leaves a document that is not backfilled, ahead of its relations.
// Verify reports that. The next repair continues from there, and so does the next event
// of a follower in it.
func (x *Index) mendIndexDocument(ctx context.Context, u, i string, may func(*firestore.DocumentSnapshot) error) (how mending, err error) {
	ref := x.indexDocuments(u).Doc(i)
	err = x.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		doc, err := getMaybe(tx, ref)
		if err != nil {
			return err
		}
		how = sound
		if n, _ := indexNumber(i); !doc.Exists() {
			next, err := getMaybe(tx, x.indexDocuments(u).Doc(indexID(n+1)))
			if err != nil || !next.Exists() {
				return err // not a gap: a purge has removed it, or a merge has closed it
			}
		}
		var index IndexDocument
		switch index, how = mendIndex(doc, time.Now()); how {
		case recount:
			return tx.Update(ref, []firestore.Update{
				{Path: fieldCount, Value: index.Count}, {Path: fieldSizeBytes, Value: index.SizeBytes},
			})
		case rewrite:
			if may != nil && doc.Exists() {
				if err := may(doc); err != nil {
					return err
				}
			}
			return tx.Set(ref, index)
		default:
			return nil
		}
	}, repairAttempts)
	return how, err
}

// maxGap is how many index documents in a row may be missing. Documents after a wider gap
// are not the author's.
const maxGap = 100

// survey is what a repair must know about all index documents of an author.
type survey struct {
	mend    []string            // index documents that disagree with themselves, or are missing
	foreign []foreignDocument   // by their names, no index documents of the author
	behind  []string            // index documents that are not backfilled
	logs    []string            // index documents whose changes name followers who have left
	holders map[string][]string // by suspect, the index documents that hold them
	full    map[string]bool     // index documents above a limit
	surplus []string            // suspects above the limits of index documents
	over    int                 // followers above the limits who are no suspects, since there are Held already
}

type foreignDocument struct {
	ref     *firestore.DocumentRef
	updated time.Time
}

// surveyIndexes reads u's index documents, one after the other. It adds to suspects the
// followers in foreign documents and the followers above a limit, up to Held. The other
// followers of a foreign document lose their place when it is deleted: verify reports
// them.
func (x *Index) surveyIndexes(ctx context.Context, u string, suspects map[string]bool) (survey, error) {
	s := survey{holders: map[string][]string{}, full: map[string]bool{}}
	next := 1
	for doc, err := range documents(ctx, x.indexDocuments(u).OrderBy(firestore.DocumentID, firestore.Asc)) {
		if err != nil {
			return survey{}, err
		}
		index, how := mendIndex(doc, time.Now())
		n, ok := indexNumber(doc.Ref.ID)
		if !ok || n < next || n-next > maxGap {
			s.foreign = append(s.foreign, foreignDocument{doc.Ref, doc.UpdateTime})
			for _, f := range index.Followers {
				if len(suspects) < x.opts.Held {
					suspects[f] = true
				}
			}
			continue
		}
		for ; next < n; next++ {
			s.mend = append(s.mend, indexID(next))
		}
		next++
		if how != sound {
			s.mend = append(s.mend, doc.Ref.ID)
		}
		if !index.Backfilled {
			s.behind = append(s.behind, doc.Ref.ID)
		}
		if index.mentionsLeavers() {
			s.logs = append(s.logs, doc.Ref.ID)
		}
		size := 0
		for n, f := range index.Followers {
			if size += idBytes(f); n >= x.opts.Capacity || size > x.opts.FollowersBytes {
				if suspects[f] || len(suspects) < x.opts.Held {
					suspects[f], s.full[doc.Ref.ID] = true, true
					s.surplus = append(s.surplus, f)
				} else {
					s.over++
				}
			}
			if suspects[f] {
				s.holders[f] = append(s.holders[f], doc.Ref.ID)
			}
		}
	}
	return s, nil
}
