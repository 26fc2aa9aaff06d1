package relations

import (
	"context"
	"errors"
	"fmt"
)

// VerifyAuthor is Verify for author u alone: u's followers and their mirrors,
// index documents, posts, relations and blocks, and the unfinished jobs that are about
// any of them. It reads those, and the unfinished jobs of all authors.
//
// Two kinds of damage it cannot see, since nothing of u's leads to them: the
// mirror of a follow that is not there, where no index document holds the
// follower, and a relation of u's in which another author stands, where u
// should have none of its name. Verify finds both.
func (x *Index) VerifyAuthor(ctx context.Context, u string, report func(Violation), progress func(documents int64)) (Verified, error) {
	if err := checkAuthorID(u); err != nil {
		return Verified{}, fmt.Errorf("verify author %q: %w", u, err)
	}
	v := x.verifier(report, progress)
	v.only = u
	err := v.run(ctx, fmt.Sprintf("verify author %q", u), v.checkFollowers, v.checkRelations, v.checkJobs, v.checkBlocks)
	return v.count, err
}

// postOfOne says whether post p is the author's.
func (v *verifier) postOfOne(ctx context.Context, p string) (bool, error) {
	post, _, err := v.currentPost(ctx, p)
	if errors.Is(err, ErrBadDocument) {
		err = nil
	}
	return post != nil && post.author == v.only, err
}
