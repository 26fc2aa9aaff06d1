package chunker

import "sync"

// turns bounds how many jobs of one owner and kind an engine runs at once, so that
// there is room for other owners' jobs. It is safe for concurrent use.
//
// The bound is for one process, and costs no reads. All processes together run up to
// the bound times their number. Each process keeps the rest of its room for others.
//
// The event of a job without a turn is acknowledged. The call that gives a turn back queries such jobs: see
// [Engine.Run].
type turns struct {
	most int // 0: no bound

	mu    sync.Mutex
	taken map[string]int // by owner and kind
}

// turnKey returns the key of the turns that a job takes; "": it needs no turn.
func turnKey(job Job) string {
	if job.Owner == "" {
		return ""
	}
	return job.Kind + " " + job.Owner
}

// counts reports whether a job needs a turn.
func (t *turns) counts(job Job) bool { return t.most > 0 && turnKey(job) != "" }

// take takes a turn for a job, and reports whether there was one.
func (t *turns) take(job Job) bool {
	if !t.counts(job) {
		return true
	}
	of := turnKey(job)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken[of] >= t.most {
		return false
	}
	if t.taken == nil {
		t.taken = map[string]int{}
	}
	t.taken[of]++
	return true
}

// leave returns a job's turn.
func (t *turns) leave(job Job) {
	if !t.counts(job) {
		return
	}
	of := turnKey(job)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken[of]--; t.taken[of] < 1 {
		delete(t.taken, of)
	}
}
