package chunker

import "sync"

// turns bounds how many jobs of one owner and kind an engine runs at once, so that
// there is room for other owners' jobs. It is safe for concurrent use.
//
// The bound is for one process, and costs no reads. All processes together run up to
// the bound times their number. Each process keeps the rest of its room for others.
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

// take takes a turn for a job, and reports whether there was one.
func (t *turns) take(job Job) bool {
	of := turnKey(job)
	if of == "" || t.most == 0 {
		return true
	}
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
	of := turnKey(job)
	if of == "" || t.most == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken[of]--; t.taken[of] < 1 {
		delete(t.taken, of)
	}
}
