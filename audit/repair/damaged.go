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

// RepairDamaged is Repair of the authors whom jobs name that have failed on an index document, or for
// another damaged document, one after the other: see [followers.Graph.PastDamage]. Beside these repairs, it costs a read for each
// failed job. The counts are sums of violations and jobs alone. If the repair of one author fails, the
// others go on.
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

// toldJob is a job that has failed, and whose work a repair does, as it was listed.
type toldJob struct {
	author string // whose repair mends the document
	doc    *firestore.DocumentSnapshot
}

// told lists the jobs of an author ("": of all) that have failed on an index document, or for another
// damaged document: a repair does what they have not done. It costs a read for each failed job, or for
// each of the author's and of the few authors with the same owner.
func (x *Repairer) told(ctx context.Context, author string) (found []toldJob, err error) {
	engine := x.graph.Engine()
	q := engine.Documents().Where("state", "==", chunker.Failed)
	if author != "" {
		q = q.Where("owner", "==", schema.OwnerOf(author)) // Firestore merges the indexes of two fields
	}
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

// leaving yields who waits to leave index documents that could not be read, and their authors: no check
// of an author finds their edges. It leaves out the jobs that are as they were when mended.
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

// tellNoMore deletes the jobs that were listed before a check that found nothing, as they were then. One
// that has changed since was queued again, or names somebody else who leaves: it is for the next repair.
// Where the same document is damaged again meanwhile, the job does not change: the next verify finds it.
//
// A crash before a deletion leaves a job of damage that is mended: the next repair deletes it.
func (x *Repairer) tellNoMore(ctx context.Context, jobs []toldJob) error {
	for _, job := range jobs {
		if err := store.DeleteAsListed(ctx, job.doc); err != nil && !store.IsStale(err) {
			return err
		}
	}
	return nil
}
