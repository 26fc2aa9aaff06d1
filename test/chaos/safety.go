package chaos

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
)

// safety watches job documents for what the engine promises never to do, and
// what the documents at the end would no longer show. It sees the states of a
// document in their order, though not each of them: what it reports did happen.
type safety struct {
	jobs   map[string]*watched
	runs   int // that were begun
	swept  int // times that Sweep queued a job
	report func(format string, args ...any)
}

// watched is what was seen of one job.
type watched struct {
	last    chunker.Job
	holders map[string]bool // whose lease has ended
	holder  string          // of the lease; "": none
}

func newSafety(report func(format string, args ...any)) *safety {
	return &safety{jobs: map[string]*watched{}, report: report}
}

// watch follows the collection until ctx ends.
func (s *safety) watch(ctx context.Context, jobs *firestore.CollectionRef) error {
	snapshots := jobs.Snapshots(ctx)
	defer snapshots.Stop()
	for {
		snapshot, err := snapshots.Next()
		switch {
		case ctx.Err() != nil || status.Code(err) == codes.Canceled:
			return nil
		case err != nil:
			return fmt.Errorf("watch %s: %w", jobs.Path, err)
		}
		for _, change := range snapshot.Changes {
			if change.Kind == firestore.DocumentRemoved {
				delete(s.jobs, change.Doc.Ref.ID)
				continue
			}
			var job chunker.Job
			if err := change.Doc.DataTo(&job); err != nil {
				s.report("%s: not a job: %v", change.Doc.Ref.Path, err)
				continue
			}
			s.see(change.Doc.Ref.ID, job)
		}
	}
}

// see takes the next state of a job.
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

// compare holds a state against the one seen before it.
func (s *safety) compare(id string, w *watched, job chunker.Job) {
	was := w.last
	if job.Sweeps > was.Sweeps {
		s.swept++
	}
	if job.Hop < was.Hop {
		s.report("job %s: hop went from %d back to %d", id, was.Hop, job.Hop)
	}
	if job.RunGeneration != was.RunGeneration {
		s.runs++
		return
	}
	if job.Phase < was.Phase {
		s.report("job %s: phase went from %d back to %d in one run", id, was.Phase, job.Phase)
	}
	// A parent sums up its lanes. One that starts over for a newer generation takes back what it has reported,
	// and the parent's own run goes on.
	if job.Done < was.Done && (job.Lanes == 0 || job.Generation == job.RunGeneration) {
		s.report("job %s: done went from %d back to %d in one run", id, was.Done, job.Done)
	}
}
