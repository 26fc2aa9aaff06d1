package relations

// postPlan is what has to be done to the relations of a post.
type postPlan struct {
	create  []string       // index ids whose relation is missing, or is another author's
	refresh []relationMeta // copied fields differ
	drop    []relationMeta // there should be none
}

func (p postPlan) size() int { return len(p.create) + len(p.refresh) + len(p.drop) }

// planPost compares the relations that are there with what post (nil: it is
// gone, or has no author) should have: one for each id of its author's index
// documents. Only ids and relations that are given are judged.
func planPost(post *postState, indexes []string, relations []relationMeta) postPlan {
	var plan postPlan
	missing := map[string]bool{}
	for _, i := range indexes {
		missing[i] = true
	}
	for _, r := range relations {
		switch {
		case post == nil:
			plan.drop = append(plan.drop, r)
		case r.userID != post.author && missing[r.indexID]:
			// The relation of the new author has the same id and replaces it.
		case r.userID != post.author:
			plan.drop = append(plan.drop, r)
		default:
			delete(missing, r.indexID)
			if !sameFields(r.fields, post.fields) {
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
