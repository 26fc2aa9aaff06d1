package deliverytest

import (
	"context"
	"sync"
	"testing"
)

// pool keeps worlds for later cases. A new database costs the emulator as much time as two hundred
// calls.
type pool struct {
	suite Suite

	mu   sync.Mutex
	free []*world
	all  []*world
}

// newPool returns a pool whose clients are closed when t has ended.
func newPool(t *testing.T, s Suite) *pool {
	p := &pool{suite: s}
	t.Cleanup(func() {
		for _, w := range p.all {
			_, _ = w.client.Close(), w.clients.Close()
		}
	})
	return p
}

// get returns an empty world.
func (p *pool) get(ctx context.Context, t *testing.T) (*world, error) {
	p.mu.Lock()
	if n := len(p.free); n > 0 {
		w := p.free[n-1]
		p.free = p.free[:n-1]
		p.mu.Unlock()
		w.t = t
		return w, w.empty(ctx)
	}
	p.mu.Unlock()
	w, err := newWorld(ctx, t, p.suite)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, w)
	return w, nil
}

// put returns a world to the pool. No process may be at work in it.
func (p *pool) put(w *world) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, w)
}
