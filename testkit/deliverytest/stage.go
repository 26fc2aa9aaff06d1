package deliverytest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/oracle"
)

// stage is a database after the first part of a story is handled. It is copied for each try.
type stage struct {
	*pool
	before []op

	once      sync.Once
	err       error
	model     *model
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
	w.model, w.history = s.model.clone(), s.history.Clone()
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
	s.model, s.history = w.model, w.history.Clone()
	s.documents, err = w.documents(ctx)
	return err
}
