package verify

import (
	"context"
	"errors"
	"fmt"

	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
)

// Author is All for author u alone: u's followers and their edges, u's index documents and blocks, the posts and
// relations of which u is the audience, the direct relations of u's posts, and the unfinished jobs on any of these. It
// reads these documents, u's other posts, and the unfinished jobs of all authors. u may be a group. It checks that each
// edge of u as a follower has a follow: two reads for each. It checks u's numbers, the numbers of u's newest posts
// ([Verifier.Newest]), and u's notifications.
//
// It cannot find two kinds of damage, since none of u's documents leads to them. The
// first is an edge of another account without a follow of u, if no index document of u holds the follower. The second
// is a relation that should not exist, and that names another audience or none. All finds
// both, and Author of each account the first.
func (x *Verifier) Author(ctx context.Context, u string, report func(Violation), progress func(documents int64)) (Verified, error) {
	if err := schema.CheckAccountID(u); err != nil {
		return Verified{}, fmt.Errorf("verify author %q: %w", u, err)
	}
	v := x.newCheck(report, progress)
	v.only = u
	err := v.run(ctx, fmt.Sprintf("verify author %q", u), v.checkFollowers, v.checkOwnEdges, v.checkBlocks, v.mend, v.checkRelations, v.checkTallies, v.checkJobs)
	return v.count, err
}

// postOfOne reports whether post p is the author's, or for the author as audience.
func (v *check) postOfOne(ctx context.Context, p string) (bool, error) {
	post, _, err := posts.Current(ctx, v.db, p)
	if errors.Is(err, schema.ErrBadDocument) {
		err = nil
	}
	return post != nil && (post.Author == v.only || post.Audience == v.only), err
}
