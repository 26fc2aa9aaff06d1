package repair

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"example.com/relationindex/audit/verify"
	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/schema"
)

// RepairDamaged is Repair of the authors whom jobs name that have failed for a damaged document,
// one after the other: see [followers.Graph.PastDamage]. It costs a read for each failed job. The
// counts are sums of violations and jobs alone. If the repair of one author fails, the others go on.
func (x *Repairer) RepairDamaged(ctx context.Context, report func(verify.Violation), progress func(doing string, documents int64)) (Repaired, error) {
	var out Repaired
	jobs, err := x.damagedJobs(ctx)
	if err != nil {
		return out, err
	}
	var errs []error
	for _, u := range slices.Sorted(maps.Keys(jobs)) {
		one, err := x.Repair(ctx, u, report, progress)
		errs = append(errs, err)
		out.Before.Violations += one.Before.Violations
		out.Before.Jobs += one.Before.Jobs
		out.After.Violations += one.After.Violations
		out.After.Jobs += one.After.Jobs
		out.Left = append(out.Left, one.Left[:min(len(one.Left), maxLeft-len(out.Left))]...)
	}
	return out, errors.Join(errs[:min(len(errs), maxLeft)]...)
}

// damagedJobs returns the jobs that have failed for a damaged document, by the author whose
// repair mends it.
func (x *Repairer) damagedJobs(ctx context.Context) (map[string][]chunker.Job, error) {
	found := map[string][]chunker.Job{}
	engine := x.graph.Engine()
	for doc, err := range store.Documents(ctx, engine.Documents().Where("state", "==", chunker.Failed)) {
		if err != nil {
			return nil, err
		}
		job := engine.Show(doc)
		author := job.Args[schema.ArgAuthor]
		mends := job.Kind == schema.KindIndex && strings.HasPrefix(job.Generation, schema.Damage)
		if (mends || job.Kind == schema.KindDamage) && schema.CheckAccountID(author) == nil {
			found[author] = append(found[author], job)
		}
	}
	return found, nil
}

// whoLeaves returns who waits to leave index documents of an author ("": of all authors) that could not
// be read, by author: no check of the author finds their edges.
func (x *Repairer) whoLeaves(ctx context.Context, author string) (map[string][]string, error) {
	jobs, err := x.damagedJobs(ctx)
	if err != nil {
		return nil, err
	}
	leaving := map[string][]string{}
	for u, told := range jobs {
		for _, job := range told {
			if author == "" || u == author {
				leaving[u] = append(leaving[u], strings.FieldsFunc(job.Args[schema.ArgLeaving], func(r rune) bool { return r == '/' })...)
			}
		}
	}
	return leaving, nil
}

// tellNoMore deletes the jobs that told of an author's damage ("": of all authors'), when a repair has
// left nothing of it. A crash before a deletion leaves a job of damage that is mended: the next repair
// deletes it.
func (x *Repairer) tellNoMore(ctx context.Context, author string) error {
	jobs, err := x.damagedJobs(ctx)
	if err != nil {
		return err
	}
	for u, told := range jobs {
		for _, job := range told {
			if author != "" && u != author {
				break
			}
			if err := x.graph.Engine().Delete(ctx, job.ID); err != nil {
				return err
			}
		}
	}
	return nil
}
