package repair

import (
	"context"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/followers"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// maxGap is how many index documents in a row may be missing. Documents after a wider gap
// are not the author's.
const maxGap = 100

// survey describes all index documents of an author, as far as a repair needs it.
type survey struct {
	mend    []string            // index documents that disagree with themselves, or are missing
	foreign []foreignDocument   // documents whose names are not those of the author's index documents
	behind  []string            // index documents that are not backfilled
	logs    []string            // index documents whose changes name followers who have left
	holders map[string][]string // by suspect, the index documents that hold them
	full    map[string]bool     // index documents above a limit
	surplus []string            // suspects above the limits of index documents
	over    int                 // followers above the limits who are not suspects, because there are already Held
}

type foreignDocument struct {
	ref     *firestore.DocumentRef
	updated time.Time
}

// surveyIndexes reads u's index documents, one after the other. It adds to suspects the
// followers in foreign documents and the followers above a limit, up to Held. The other
// followers of a foreign document lose their place when it is deleted: verify reports
// them.
func (x *Repairer) surveyIndexes(ctx context.Context, u string, suspects map[string]bool) (survey, error) {
	s := survey{holders: map[string][]string{}, full: map[string]bool{}}
	next := 1
	for doc, err := range store.Documents(ctx, x.db.IndexDocuments(u).OrderBy(firestore.DocumentID, firestore.Asc)) {
		if err != nil {
			return survey{}, err
		}
		index, how := followers.MendIndex(doc, time.Now())
		n, ok := schema.IndexNumber(doc.Ref.ID)
		if !ok || n < next || n-next > maxGap {
			s.foreign = append(s.foreign, foreignDocument{doc.Ref, doc.UpdateTime})
			for _, f := range index.Followers {
				if len(suspects) < x.db.Config.Held {
					suspects[f] = true
				}
			}
			continue
		}
		for ; next < n; next++ {
			s.mend = append(s.mend, schema.IndexID(next))
		}
		next++
		if how != followers.Sound {
			s.mend = append(s.mend, doc.Ref.ID)
		}
		if !index.Backfilled {
			s.behind = append(s.behind, doc.Ref.ID)
		}
		if index.MentionsLeavers() {
			s.logs = append(s.logs, doc.Ref.ID)
		}
		size := 0
		for n, f := range index.Followers {
			if size += schema.IDBytes(f); n >= x.db.Config.Capacity || size > x.db.Config.FollowersBytes {
				if suspects[f] || len(suspects) < x.db.Config.Held {
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
