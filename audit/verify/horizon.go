package verify

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
)

// With a horizon, a post is kept if its relation to the first index document exists. For each
// post that is not kept, as many kept posts as the horizon must be as new, and it has no
// other relation. A kept post must have all.

// readHorizon reads for how many posts of an audience there must be relations.
func (v *check) readHorizon(ctx context.Context) error {
	docs, err := store.ReadAll(ctx, v.db.Client, []*firestore.DocumentRef{schema.HorizonDocument(v.db.Client)})
	if err != nil {
		return err
	}
	h, err := schema.DecodeHorizon(docs[0])
	v.horizon = h.Kept
	return err
}

// pass notes which posts need no relations, when all relations have come, and returns how
// many are kept. A post without a timestamp needs none, unless it has one.
func (p *audiencePosts) pass(horizon int) (kept int) {
	if horizon == 0 || len(p.names) == 0 || p.names[0] != schema.FirstIndex {
		return 0
	}
	var order []*checkedPost
	for _, post := range p.posts {
		if p.kept(post) {
			kept++
		}
		if post.passed = !post.dated && post.n == 0; !post.passed {
			order = append(order, post)
		}
	}
	slices.SortFunc(order, func(a, b *checkedPost) int { // the newest first; of equal ones, the kept
		return cmp.Or(cmp.Compare(b.createdAt, a.createdAt), cmp.Compare(p.rank(a), p.rank(b)))
	})
	newer := 0 // posts that are kept, or must be
	for _, post := range order {
		if post.passed = newer >= horizon && !p.kept(post); !post.passed {
			newer++
		}
	}
	return kept
}

// kept reports whether the relation of a post to the first index document has come.
func (p *audiencePosts) kept(post *checkedPost) bool {
	return post.n == len(p.names) || post.seen != nil && post.seen[0]
}

func (p *audiencePosts) rank(post *checkedPost) int {
	if p.kept(post) {
		return 0
	}
	return 1
}

// leftovers yields the post and index document of each relation of a post that needs none.
func (p *audiencePosts) leftovers() iter.Seq2[string, string] {
	return func(yield func(post, index string) bool) {
		for _, post := range p.posts {
			if !post.passed || post.n == 0 {
				continue
			}
			for at, i := range p.names {
				if post.seen[at] && !yield(post.id, i) {
					return
				}
			}
		}
	}
}

// checkKept reports an audience that keeps far too many posts. Some more than the horizon
// are right: new posts evict the oldest only when it is cheap.
func (v *check) checkKept(ctx context.Context, a string, kept int) error {
	most := 2 * schema.KeptAtMost(v.horizon)
	if v.horizon == 0 || kept <= most {
		return nil
	}
	n, err := bulk.Count(ctx, v.keptOf(a))
	if err != nil || n <= int64(most) {
		return err
	}
	v.violation(Violation{Invariant: 3, Document: v.db.User(a).Path, Author: a, Kept: int(n)},
		"%d posts have relations, but the horizon is %d: run relationindex horizon %d", n, v.horizon, v.horizon)
	return nil
}

// keptOf returns a query for the kept posts of an audience.
func (v *check) keptOf(a string) firestore.Query {
	return v.db.Relations().Where(schema.FieldAudience, "==", a).Where(schema.FieldIndexID, "==", schema.FirstIndex).
		OrderBy(schema.FieldCreatedAt, firestore.Asc)
}

// reportLeftovers reports relations of posts that need none, at most maxIn. It reads again
// what they depend on: the post may have just been evicted, or kept.
func (v *check) reportLeftovers(ctx context.Context, leftovers []Violation) error {
	now, err := v.readAgain(ctx, leftovers)
	if err != nil {
		return err
	}
	for n, at := range leftovers {
		if now[n].relation && !now[n].marker && now[n].post != nil {
			at.Post, at.Index = "", "" // it belongs nowhere
			v.violation(at, "post %s is not among the newest %d, and not kept", leftovers[n].Post, v.horizon)
		}
	}
	return nil
}

// stay returns those of missing relations that still are, and still must not be. It costs
// nothing without a horizon.
func (v *check) stay(ctx context.Context, missing []Violation) (left []Violation, err error) {
	if v.horizon == 0 {
		return missing, nil
	}
	now, err := v.readAgain(ctx, missing)
	if err != nil {
		return nil, err
	}
	needed := map[string]bool{} // by post
	for n, at := range missing {
		if now[n].relation || now[n].post == nil {
			continue
		}
		need, known := needed[at.Post]
		if !known {
			need = now[n].marker
			if !need {
				newer, err := bulk.Count(ctx, v.keptOf(at.Author).Where(schema.FieldCreatedAt, ">=", now[n].post.CreatedAt()).Limit(v.horizon))
				if err != nil {
					return nil, err
				}
				need = newer < int64(v.horizon)
			}
			needed[at.Post] = need
		}
		if need {
			left = append(left, at)
		}
	}
	return left, nil
}

// again is what a relation depends on, read again.
type again struct {
	post             *posts.Post // nil: gone, or not for the audience
	marker, relation bool        // exist, and name the audience
}

// readAgain reads at most maxIn relations again, without their followers, and what they
// depend on. It costs three reads for each.
func (v *check) readAgain(ctx context.Context, all []Violation) ([]again, error) {
	if len(all) == 0 {
		return nil, nil
	}
	var docs, markers, relations []*firestore.DocumentRef
	for _, at := range all {
		docs = append(docs, v.db.Post(at.Post))
		markers = append(markers, v.db.Relation(at.Post, schema.FirstIndex))
		relations = append(relations, v.db.Relation(at.Post, at.Index))
	}
	// Relations last: they are written after the others.
	snaps, err := store.ReadAll(ctx, v.db.Client, docs)
	if err != nil {
		return nil, err
	}
	marks, err := v.audiencesOf(ctx, markers)
	if err != nil {
		return nil, err
	}
	own, err := v.audiencesOf(ctx, relations)
	if err != nil {
		return nil, err
	}
	now := make([]again, len(all))
	for n, at := range all {
		now[n] = again{marker: marks[markers[n].Path] == at.Author, relation: own[relations[n].Path] == at.Author}
		if post, err := posts.Decode(v.db.Options, snaps[n]); snaps[n].Exists() && err == nil && post.Audience == at.Author {
			now[n].post = &post
		}
	}
	return now, nil
}

// audiencesOf returns the audiences that some relations name, by path.
func (v *check) audiencesOf(ctx context.Context, refs []*firestore.DocumentRef) (map[string]string, error) {
	found := map[string]string{}
	q := v.db.Relations().Where(firestore.DocumentID, "in", refs).Select(schema.FieldAudience)
	for doc, err := range store.Documents(ctx, q) {
		if err != nil {
			return nil, err
		}
		found[doc.Ref.Path] = schema.TextOf(doc, schema.FieldAudience)
	}
	return found, nil
}
