package relations

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"
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
	for _, check := range []func(context.Context) error{
		v.checkFollowersOfOne, v.checkRelationsOfOne, v.checkJobsOfOne, v.checkBlocks,
	} {
		if err := check(ctx); err != nil {
			return v.count, fmt.Errorf("verify author %q: %w", u, err)
		}
	}
	return v.count, nil
}

func (v *verifier) checkFollowersOfOne(ctx context.Context) error {
	indexes, err := v.listQuery(v.only).Documents(ctx).GetAll()
	if err != nil {
		return err
	}
	v.indexes[v.only] = len(indexes)
	q := v.user(v.only).Collection(v.opts.Collections.Followers).OrderBy(firestore.DocumentID, firestore.Asc).Select()
	followers, err := q.Documents(ctx).GetAll()
	if err != nil {
		return err
	}
	v.seen(&v.count.Followers, len(followers))
	err = v.checkAuthor(ctx, v.only, ids(followers))
	v.seen(&v.count.Mirrors, int(v.matched))
	return err
}

func (v *verifier) checkRelationsOfOne(ctx context.Context) error {
	var copies []relationCopy
	for doc, err := range documents(ctx, v.relations().Where(fieldUserID, "==", v.only)) {
		if err != nil {
			return err
		}
		copies = append(copies, copyOf(doc))
	}
	return v.checkRelationsOf(ctx, v.only, copies)
}

// checkJobsOfOne is invariant 4 for the jobs on the author's index documents,
// and on posts that are the author's now.
func (v *verifier) checkJobsOfOne(ctx context.Context) error {
	jobs, err := v.engine.Unfinished(ctx, maxJobs)
	if err != nil {
		return err
	}
	for _, job := range jobs {
		ours := job.Args[argAuthor] == v.only
		if p, ok := job.Args[argPost]; ok && !ours {
			if ours, err = v.postOfOne(ctx, p); err != nil {
				return err
			}
		}
		if ours {
			v.unfinished(job)
		}
	}
	return nil
}

// postOfOne says whether post p is the author's.
func (v *verifier) postOfOne(ctx context.Context, p string) (bool, error) {
	post, _, err := v.currentPost(ctx, p)
	if errors.Is(err, ErrBadDocument) {
		err = nil
	}
	return post != nil && post.author == v.only, err
}
