package chunker

import "sync"

// turns bounds how many jobs of one owner and kind an engine runs at once, so that
// one owner's jobs leave room for those of others. It is safe for concurrent use.
//
// It is the process's own, and costs no reads: the effective bound is that times the
// processes, and each of them keeps what is left of its room for others.
type turns struct {
	most int // 0: no bound

	mu    sync.Mutex
	taken map[string]int // by owner and kind
}

// turnOf is whose turn a job takes; "" is nobody's.
func turnOf(job Job) string {
	if job.Owner == "" {
		return ""
	}
	return job.Kind + " " + job.Owner
}

// take takes a turn for a job, if there is one.
func (t *turns) take(job Job) bool {
	of := turnOf(job)
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

// leave ends a turn.
func (t *turns) leave(job Job) {
	of := turnOf(job)
	if of == "" || t.most == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken[of]--; t.taken[of] < 1 {
		delete(t.taken, of)
	}
}
