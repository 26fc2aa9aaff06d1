package relations

import (
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// relationMeta is a relation without its followers.
type relationMeta struct {
	ref     *firestore.DocumentRef
	updated time.Time // update time, for preconditions
	userID  string
	indexID string
	version int64
	size    int            // sizeBytes
	fields  map[string]any // copied fields
}

// postPlan is the work to do on the relations of a post.
type postPlan struct {
	create  []string       // index ids whose relation is missing, or has another author
	refresh []relationMeta // copied fields differ
	drop    []relationMeta // should not exist
}

func (p postPlan) size() int { return len(p.create) + len(p.refresh) + len(p.drop) }

// planPost compares a post's relations with those that it should have: one for each id in
// indexes, the author's index documents. A nil post is gone, or has no author. Ids and
// relations not passed in are ignored.
func planPost(post *PostState, indexes []string, relations []relationMeta) postPlan {
	var plan postPlan
	missing := map[string]bool{}
	for _, i := range indexes {
		missing[i] = true
	}
	for _, r := range relations {
		switch {
		case post == nil:
			plan.drop = append(plan.drop, r)
		case r.userID != post.Author && missing[r.indexID]:
			// The relation of the new author has the same id and replaces it.
		case r.userID != post.Author:
			plan.drop = append(plan.drop, r)
		default:
			delete(missing, r.indexID)
			if !schema.SameFields(r.fields, post.Fields) {
				plan.refresh = append(plan.refresh, r)
			}
		}
	}
	for _, i := range indexes {
		if missing[i] {
			plan.create = append(plan.create, i)
		}
	}
	return plan
}
