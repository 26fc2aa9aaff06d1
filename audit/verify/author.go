package verify

import (
	"context"
	"errors"
	"fmt"

	"example.com/relationindex/schema"
)

// Author is All for author u alone: u's followers and their edges, u's index
// documents, posts, relations and blocks, and the unfinished jobs on any of these. It
// reads these documents, and the unfinished jobs of all authors.
//
// It cannot find two kinds of damage, since none of u's documents leads to them. The
// first is an edge without a follow, if no index document holds the follower. The second
// is a relation of u's that names another author, where u should have no relation of that
// name. All finds both.
func (x *Verifier) Author(ctx context.Context, u string, report func(Violation), progress func(documents int64)) (Verified, error) {
	if err := schema.CheckAuthorID(u); err != nil {
		return Verified{}, fmt.Errorf("verify author %q: %w", u, err)
	}
	v := x.newCheck(report, progress)
	v.only = u
	err := v.run(ctx, fmt.Sprintf("verify author %q", u), v.checkFollowers, v.checkRelations, v.checkJobs, v.checkBlocks)
	return v.count, err
}

// postOfOne reports whether post p is the author's.
func (v *check) postOfOne(ctx context.Context, p string) (bool, error) {
	post, _, err := v.relations.CurrentPost(ctx, p)
	if errors.Is(err, schema.ErrBadDocument) {
		err = nil
	}
	return post != nil && post.Author == v.only, err
}
