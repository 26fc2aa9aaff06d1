package tallies

import (
	"cmp"
	"context"
	"errors"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
)

// effort limits the work of a call on a subject, before the call leaves the subject to its next job.
type effort struct {
	passes int          // the most counts, because a subject may keep changing
	most   int          // documents to count; 0: all
	job    *chunker.Job // the job whose lease each write requires; nil: outside a job
	repair bool         // nobody has acted just now
}

var (
	ofHandler = effort{passes: 5, most: mostReads*readsAThousand + 1}
	ofRepair  = effort{passes: 5, repair: true}
)

// ofJob is the effort of a job. Changes after its count are left to the job's next run in any case.
func ofJob(job chunker.Job) effort { return effort{passes: 2, job: &job} }

// errLarge means that there is more to count than an effort allows.
var errLarge = errors.New("there is too much to count at once")

// count counts the documents of a query. It costs a read for each thousand, at least one.
func (e effort) count(ctx context.Context, q firestore.Query) (int64, error) {
	if e.most > 0 {
		q = q.Limit(e.most)
	}
	n, err := bulk.Count(ctx, q)
	if err == nil && e.most > 0 && n >= int64(e.most) {
		err = errLarge
	}
	return n, err
}

// content is a document's fields for a subject: those of a notification, or the one number; nil: there are
// none.
type content map[string]any

// says reports whether two contents are the same. A number that is missing is 0.
func (c content) says(other content) bool {
	if c == nil && other == nil {
		return true
	}
	return schema.SameFields(c, other)
}

// state is the document of a subject, as it was read or written.
type state struct {
	doc     *firestore.DocumentSnapshot // as it was read
	exists  bool
	updated time.Time
	says    content
}

// settle counts a subject, and writes the count if the document differs. It repeats this until a count agrees
// with the document: see the package's example. now is the document as it was read before. atRest is false if
// no count agreed within the effort. In a job, only the step with the lease writes.
//
// A crash after a write leaves the event or the job, which counts again.
func (x *Tallies) settle(ctx context.Context, s Subject, now state, e effort) (atRest bool, err error) {
	for pass := range e.passes {
		due, err := x.due(ctx, s, now, e)
		if errors.Is(err, errLarge) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if now.says.says(due) {
			return true, nil
		}
		written, err := x.write(ctx, s, now, due, e.job)
		if err == nil && e.job != nil && x.large(s, now) {
			return true, nil // handlers leave it to the job: each change since the job's claim makes the job run again
		}
		if store.IsContention(err) { // another process has written it: the count may be old
			if err = work.Pause(ctx, pass); err == nil {
				written, err = x.read(ctx, s)
			}
		}
		if err != nil {
			return false, err
		}
		now = written
	}
	return false, nil
}

// write writes the due fields of a subject, on condition that its document is unchanged, and that a new
// notification is still allowed: see [Tallies.mayBegin].
func (x *Tallies) write(ctx context.Context, s Subject, now state, due content, job *chunker.Job) (state, error) {
	asRead := firestore.LastUpdateTime(now.updated)
	ref := x.ref(s)
	var response firestore.CommitResponse
	err := x.db.Client.RunTransaction(posts.Only(ctx, x.db), func(_ context.Context, tx *firestore.Transaction) error {
		if job != nil {
			if err := x.engine.HeldIn(tx, *job); err != nil {
				return err
			}
		}
		switch {
		case s.Number != "":
			return tx.Update(ref, []firestore.Update{{FieldPath: numberPath(s), Value: due[s.Number]}}, asRead)
		case due == nil:
			return tx.Delete(ref, asRead)
		}
		if now.says[fieldAt] == nil && due[fieldAt] != nil {
			if err := x.mayBegin(tx, s, due); err != nil {
				return err
			}
		}
		if !now.exists {
			return tx.Create(ref, map[string]any(due))
		}
		var updates []firestore.Update
		for _, name := range noteFields { // those that differ, so that at stays exactly as it was seen
			value, has := due[name]
			if before, had := now.says[name]; has == had && schema.SameValue(before, value) {
				continue
			}
			if !has {
				value = firestore.Delete
			}
			updates = append(updates, firestore.Update{Path: name, Value: value})
		}
		return tx.Update(ref, updates, asRead)
	}, firestore.WithCommitResponseTo(&response))
	if store.IsRejected(err) { // the document is full
		author := s.Of
		if s.ofPost() {
			author = cmp.Or(schema.TextOf(now.doc, schema.FieldUserID), s.Of)
		}
		return now, &schema.Damaged{Path: ref.Path, Author: author, Updated: now.updated, Cause: err}
	}
	if err != nil {
		return now, err
	}
	written, err := response.WriteResults()
	if err != nil {
		return now, err
	}
	if due[fieldAt] == firestore.ServerTimestamp {
		due[fieldAt] = written[0].UpdateTime
	}
	return state{doc: now.doc, exists: due != nil, updated: written[0].UpdateTime, says: due}, nil
}
