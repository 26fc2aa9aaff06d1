package deliverytest

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"

	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/clients"
	"example.com/relationindex/testkit/oracle"
)

// stage is a database after the first part of a story is handled. It is copied for each try.
type stage struct {
	*pool
	before []op

	once      sync.Once
	err       error
	present   clients.Present
	people    map[string]bool
	history   *oracle.History
	documents map[string]map[string]any
}

// set returns a world of its own with the documents of the stage.
func (s *stage) set(ctx context.Context, t *testing.T) (*world, error) {
	if s.once.Do(func() { s.err = s.make(ctx, t) }); s.err != nil {
		return nil, fmt.Errorf("before: %w", s.err)
	}
	w, err := s.get(ctx, t)
	if err != nil {
		return nil, err
	}
	w.present, w.people, w.history = s.present.Clone(), maps.Clone(s.people), s.history.Clone()
	return w, testkit.WriteDocuments(ctx, w.client, s.documents)
}

// make runs the operations of before, handles each, and checks the result.
func (s *stage) make(ctx context.Context, t *testing.T) error {
	w, err := s.get(ctx, t)
	if err != nil {
		return err
	}
	defer s.put(w)
	p, err := w.process(ctx)
	if err != nil {
		return err
	}
	for _, o := range s.before {
		events, err := w.apply(ctx, o)
		if err == nil {
			err = p.settle(ctx, events...)
		}
		if err != nil {
			return err
		}
	}
	if err := w.end(ctx); err != nil {
		return err
	}
	s.present, s.people, s.history = w.present, w.people, w.history.Clone()
	s.documents, err = w.documents(ctx)
	return err
}

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
