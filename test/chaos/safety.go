package chaos

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
)

// safety watches job documents for breaches of the engine's promises that the final documents would no
// longer show. It sees the states of a document in order, but not each state. So each breach that it
// reports did happen.
type safety struct {
	jobs   map[string]*watched
	runs   int // that have begun
	swept  int // times that Sweep queued a job
	report func(format string, args ...any)
}

// watched has the observations of one job.
type watched struct {
	created, updated time.Time // times of the document as last seen
	last             chunker.Job
	holders          map[string]bool // holders whose lease has ended
	holder           string          // of the lease; "": none
}

func newSafety(report func(format string, args ...any)) *safety {
	return &safety{jobs: map[string]*watched{}, report: report}
}

// watch follows queued and running jobs until ctx ends. It reads each job once more when the job has
// left these states or the listener. It listens to at most watchedAtOnce jobs, since the emulator
// sends a listener all its documents whenever one of them changes.
func (s *safety) watch(ctx context.Context, jobs *firestore.CollectionRef) error {
	open := jobs.Where("state", "in", []chunker.State{chunker.Queued, chunker.Running}).Limit(watchedAtOnce)
	snapshots := open.Snapshots(ctx)
	defer func() { snapshots.Stop() }()
	for {
		snapshot, err := snapshots.Next()
		if err == nil {
			err = s.seeAll(ctx, snapshot.Changes)
		}
		switch {
		case ctx.Err() != nil || status.Code(err) == codes.Canceled:
			return nil
		case err != nil && strings.Contains(err.Error(), "unknown response type"):
			// A busy emulator (1.19.9) sometimes sends an empty response. After that, the client no longer
			// listens.
			snapshots.Stop()
			time.Sleep(100 * time.Millisecond)
			snapshots = open.Snapshots(ctx)
		case err != nil:
			return fmt.Errorf("watch %s: %w", jobs.Path, err)
		}
	}
}

// watchedAtOnce is the most open jobs of a listener. If there are more, jobs with late ids may end
// unseen.
const watchedAtOnce = 100

// seeAll handles the changes of a snapshot.
func (s *safety) seeAll(ctx context.Context, changes []firestore.DocumentChange) error {
	for _, change := range changes {
		doc := change.Doc
		if change.Kind == firestore.DocumentRemoved {
			var err error
			if doc, err = doc.Ref.Get(ctx); err != nil && status.Code(err) != codes.NotFound {
				return err
			}
		}
		s.seeDoc(doc)
	}
	return nil
}

// seeDoc handles a document as read, which may be older than the state seen last.
func (s *safety) seeDoc(doc *firestore.DocumentSnapshot) {
	id := doc.Ref.ID
	w := s.jobs[id]
	if w != nil && (!doc.Exists() || !doc.CreateTime.Equal(w.created)) {
		delete(s.jobs, id)
		w = nil
	}
	if !doc.Exists() || w != nil && !doc.UpdateTime.After(w.updated) {
		return
	}
	var job chunker.Job
	if err := doc.DataTo(&job); err != nil {
		s.report("%s: not a job: %v", doc.Ref.Path, err)
		return
	}
	s.see(id, job)
	s.jobs[id].created, s.jobs[id].updated = doc.CreateTime, doc.UpdateTime
}

// see handles the next state of a job.
func (s *safety) see(id string, job chunker.Job) {
	w := s.jobs[id]
	if w == nil {
		w = &watched{holders: map[string]bool{}}
		s.jobs[id] = w
		s.runs++
	} else {
		s.compare(id, w, job)
	}
	holder := ""
	if job.Lease != nil {
		holder = job.Lease.Holder
	}
	if holder != w.holder {
		w.holders[w.holder] = true
		if holder != "" && w.holders[holder] {
			s.report("job %s: holder %s wrote it again after %q had it", id, holder, w.holder)
		}
		w.holder = holder
	}
	w.last = job
}

// compare checks a state against the one before.
func (s *safety) compare(id string, w *watched, job chunker.Job) {
	was := w.last
	if job.Sweeps > was.Sweeps {
		s.swept++
	}
	if job.Hop < was.Hop {
		s.report("job %s: hop went from %d back to %d", id, was.Hop, job.Hop)
	}
	if job.RunGeneration != was.RunGeneration || job.Waiting() != was.Waiting() { // a waiting job begins again
		s.runs++
		return
	}
	if job.Phase < was.Phase {
		s.report("job %s: phase went from %d back to %d in one run", id, was.Phase, job.Phase)
	}
	if job.Done < was.Done {
		s.report("job %s: done went from %d back to %d in one run", id, was.Done, job.Done)
	}
}
