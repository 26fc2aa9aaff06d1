package deliverytest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"
)

// way is a way in which the events of a story come.
type way struct {
	name string
	come func(*teller) error
	// fits reports whether a story is worth this way's time; nil: every story is.
	fits func(story) bool
	// tries means that the way has several tries.
	tries bool
}

var ways = []way{
	{"that comes", (*teller).once, nil, false},
	{"that comes twice", (*teller).twice, nil, false},
	{"that comes backwards", (*teller).backwards, func(s story) bool { return len(s.do) > 1 }, false},
	{"that comes twice at once", (*teller).atOnce, nil, false},
	{"whose process dies", (*teller).dies, func(s story) bool { return len(s.do) == 1 }, true},
	{"and what it costs", (*teller).cost, nil, false},
	// In a job, the engine handles a failed read, not the delivery.
	{"whose reads fail", (*teller).readsFail, func(s story) bool { return len(s.do) == 1 && !s.long }, true},
}

// teller runs one story, as often as a way needs.
type teller struct {
	*stage
	t  *testing.T
	do []op
}

// begin returns a new database after the story's client writes, and the events of these.
func (l *teller) begin(ctx context.Context) (*world, []event, error) {
	w, err := l.set(ctx, l.t)
	if err != nil {
		return nil, nil, err
	}
	events, err := w.apply(ctx, l.do...)
	return w, events, err
}

func (l *teller) once() error {
	w, events, err := l.begin(l.t.Context())
	if err != nil {
		return err
	}
	defer l.put(w)
	return w.endTwice(l.t.Context(), events...)
}

// twice delivers each event twice, then all of them again when everything is done.
func (l *teller) twice() error {
	w, events, err := l.begin(l.t.Context())
	if err != nil {
		return err
	}
	defer l.put(w)
	var pairs []event
	for _, e := range events {
		pairs = append(pairs, e, e)
	}
	if err := w.endTwice(l.t.Context(), pairs...); err != nil {
		return err
	}
	return w.endTwice(l.t.Context(), events...)
}

func (l *teller) backwards() error {
	w, events, err := l.begin(l.t.Context())
	if err != nil {
		return err
	}
	defer l.put(w)
	slices.Reverse(events)
	return w.endTwice(l.t.Context(), events...)
}

// atOnce delivers all events at once to each of two processes, which also run the jobs.
func (l *teller) atOnce() error {
	w, events, err := l.begin(l.t.Context())
	if err != nil {
		return err
	}
	defer l.put(w)
	var both errgroup.Group
	for range 2 {
		p, err := w.process(l.t.Context())
		if err != nil {
			return errors.Join(err, both.Wait())
		}
		both.Go(func() error {
			var all errgroup.Group
			for _, e := range events {
				all.Go(func() error { return p.handled(l.t.Context(), e) })
			}
			err := all.Wait()
			p.work(l.t.Context())
			return err
		})
	}
	if err := both.Wait(); err != nil {
		return err
	}
	return w.endTwice(l.t.Context())
}
