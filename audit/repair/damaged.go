package repair

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/verify"
	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// RepairDamaged calls Repair for each author with a failed job on an index document or another damaged document, one
// after the other: see [followers.Graph.PastDamage]. Besides these repairs, it costs a read for each failed job. The
// returned counts are sums of violations and jobs only. If the repair of one author fails, the others go on.
func (x *Repairer) RepairDamaged(ctx context.Context, report func(verify.Violation), progress func(doing string, documents int64)) (Repaired, error) {
	var out Repaired
	jobs, err := x.told(ctx, "")
	if err != nil {
		return out, err
	}
	authors := map[string]bool{}
	for _, job := range jobs {
		authors[job.author] = true
	}
	var errs []error
	for _, u := range slices.Sorted(maps.Keys(authors)) {
		one, err := x.Repair(ctx, u, report, progress)
		errs = append(errs, err)
		out.Authors++
		out.Marks += one.Marks
		out.Before.Violations += one.Before.Violations
		out.Before.Jobs += one.Before.Jobs
		out.After.Violations += one.After.Violations
		out.After.Jobs += one.After.Jobs
		out.Left = append(out.Left, one.Left[:min(len(one.Left), maxLeft-len(out.Left))]...)
	}
	return out, errors.Join(errs[:min(len(errs), maxLeft)]...)
}

// toldJob is a failed job whose work a repair does, as it was listed.
type toldJob struct {
	author string // repairing this author mends the document
	doc    *firestore.DocumentSnapshot
}

// told lists an author's failed jobs on an index document or another damaged document ("": those of all authors). A
// repair does the work of these jobs. It costs a read for each failed job, or for each of the author's.
func (x *Repairer) told(ctx context.Context, author string) (found []toldJob, err error) {
	engine := x.graph.Engine()
	q := engine.Documents()
	if author != "" {
		q = engine.Naming(author, schema.ArgAuthor) // Firestore merges the indexes of two fields
	}
	q = q.Where("state", "==", chunker.Failed)
	for doc, err := range store.Documents(ctx, q.Select("state", "schema", "kind", "generation", "args")) {
		if err != nil {
			return nil, err
		}
		job := engine.Show(doc)
		u := job.Args[schema.ArgAuthor]
		if (job.Kind == schema.KindIndex || job.Kind == schema.KindDamage) && schema.CheckAccountID(u) == nil && (author == "" || author == u) {
			found = append(found, toldJob{u, doc})
		}
	}
	return found, nil
}

// leaving yields the followers who wait to leave unreadable index documents, with the authors: no check of an author
// finds the edges of these followers. It skips jobs that have not changed since mended.
func (x *Repairer) leaving(jobs []toldJob, mended map[string]time.Time, use func(author, follower string)) {
	for _, job := range jobs {
		if job.doc.UpdateTime.Equal(mended[job.doc.Ref.ID]) {
			continue
		}
		for _, f := range x.graph.Engine().Show(job.doc).Noted(schema.ArgLeaving) {
			use(job.author, f)
		}
	}
}

// tellNoMore deletes the jobs that were listed before a check that found nothing, if they are unchanged. A changed job
// was queued again, or names another leaving follower: it is left to the next repair. If the same document is damaged
// again meanwhile, the job does not change: the next verify finds the damage.
//
// A crash before a deletion leaves a job for mended damage: the next repair deletes it.
func (x *Repairer) tellNoMore(ctx context.Context, jobs []toldJob) error {
	for _, job := range jobs {
		if err := store.DeleteAsListed(ctx, job.doc); err != nil && !store.IsStale(err) {
			return err
		}
	}
	return nil
}
