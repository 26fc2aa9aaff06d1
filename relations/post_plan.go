package relations

import (
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// relationMeta is a relation without its followers.
type relationMeta struct {
	ref     *firestore.DocumentRef
	updated time.Time // update time, for preconditions
	userID  string
	// audience is "" in a direct relation, and in one of a release before audiences.
	audience string
	indexID  string
	version  int64
	size     int            // sizeBytes
	fields   map[string]any // copied fields
}

// postPlan is the work to do on the relations of a post.
type postPlan struct {
	create  []string       // index ids whose relation is missing, or of another author, audience or recipients
	refresh []relationMeta // copied fields differ
	drop    []relationMeta // should not exist
}

func (p postPlan) size() int { return len(p.create) + len(p.refresh) + len(p.drop) }

// isOf reports whether the relation, as it was read, should exist for a post as it is now.
// It does not check that the index document exists, or the copied fields.
func (r relationMeta) isOf(post PostState) bool {
	if r.userID != post.Author {
		return false
	}
	if r.indexID == schema.DirectIndex {
		return len(post.Recipients) > 0 && r.version == schema.RecipientsVersion(post.Recipients)
	}
	return post.Audience != "" && r.audience == post.Audience
}

// relationsOf returns the index ids of the relations that a post should have. indexes are
// the index documents of its audience.
func relationsOf(post *PostState, indexes []string) []string {
	if post == nil || len(post.Recipients) == 0 {
		return indexes
	}
	return slices.Concat([]string{schema.DirectIndex}, indexes)
}

// planPost compares a post's relations with those that it should have: one for each id in
// indexes, as relationsOf returns them. A nil post is gone, or has no author. Ids and
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
		case !r.isOf(*post) && missing[r.indexID]:
			// The relation of the new author, audience or recipients has the same id and replaces it.
		case !r.isOf(*post):
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
