package tallies

import (
	"context"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
)

// passes is how many counts a call makes before it leaves a subject to a job: it changes all the time.
const passes = 5

// content is what a document says of a subject; nil: nothing. It is what a notification has, or the one number.
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

// settle counts a subject, and writes what it found if the document says something else, until it has found what the document says:
// see the package's example. now is the document as it was read before. atRest is false if it has not come to that.
// In a job, only the step that has the lease writes.
//
// A crash after a write leaves the event, or the job, which counts again.
func (x *Tallies) settle(ctx context.Context, s Subject, now state, job *chunker.Job) (atRest bool, err error) {
	for pass := range passes {
		due, err := x.due(ctx, s, now)
		if err != nil {
			return false, err
		}
		if now.says.says(due) {
			return true, nil
		}
		written, err := x.write(ctx, s, now, due, job)
		if store.IsContention(err) { // somebody else has written it: what was counted may be old
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

// write has the document of a subject say what is due, on condition that it is as it was read, and that a new notification
// may be there: see [Tallies.mayBegin].
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
		case !now.exists:
			if err := x.mayBegin(tx, s); err != nil {
				return err
			}
			return tx.Create(ref, map[string]any(due))
		}
		var updates []firestore.Update
		for _, name := range slices.Sorted(maps.Keys(due)) {
			updates = append(updates, firestore.Update{Path: name, Value: due[name]})
		}
		return tx.Update(ref, updates, asRead)
	}, firestore.WithCommitResponseTo(&response))
	if err != nil {
		return now, err
	}
	written, err := response.WriteResults()
	if err != nil {
		return now, err
	}
	return state{doc: now.doc, exists: due != nil, updated: written[0].UpdateTime, says: due}, nil
}
