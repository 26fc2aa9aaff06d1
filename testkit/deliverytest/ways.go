package deliverytest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"example.com/relationindex/emulator/faults"
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

// comes is the way that every form of a delivery has.
const comes = "that comes"

var ways = []way{
	{comes, (*teller).once, nil, false},
	{"that comes twice", (*teller).twice, nil, false},
	{"that comes backwards", (*teller).backwards, func(s story) bool { return len(s.do) > 1 }, false},
	{"that comes twice at once", (*teller).atOnce, nil, false},
	{"whose process dies", (*teller).dies, func(s story) bool { return len(s.do) == 1 }, true},
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

// once delivers each event once, and reports the cost of the story for the functions. It never fails for
// a high cost.
func (l *teller) once() error {
	w, events, err := l.begin(l.t.Context())
	if err != nil {
		return err
	}
	defer l.put(w)
	p, err := w.process(l.t.Context())
	if err != nil {
		return err
	}
	before := w.meter.Counts()
	if err := p.settle(l.t.Context(), events...); err != nil {
		return err
	}
	used := w.meter.Counts().Minus(before)
	l.t.Logf("%d reads, %d writes, %d deletes", used.Reads, used.Writes, used.Deletes)
	return w.endTwice(l.t.Context())
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

// dies kills a process at each of its writes, in handlers and in jobs. No other moment of a death
// makes a difference: see [faults.NewDeath]. Another process gets the events of the dead one.
func (l *teller) dies() error {
	return l.eachPoint("write", func(at int) (bool, error) {
		w, events, err := l.begin(l.t.Context())
		if err != nil {
			return false, err
		}
		defer l.put(w)
		death := faults.NewDeath(at)
		p, err := w.process(l.t.Context(), death.Interceptor())
		if err != nil {
			return false, err
		}
		var left []event
		for _, e := range events {
			if open, _ := p.deliver(l.t.Context(), e); len(open) > 0 || death.Died() {
				left = append(left, e) // a dead process acknowledges nothing
			}
		}
		p.work(l.t.Context())
		if !death.Died() {
			return false, nil
		}
		return true, w.end(l.t.Context(), left...)
	})
}

// readsFail fails each read of a process in turn. If the process acknowledges the event anyway, the
// event does not come again.
func (l *teller) readsFail() error {
	return l.eachPoint("read", func(at int) (bool, error) {
		w, events, err := l.begin(l.t.Context())
		if err != nil {
			return false, err
		}
		defer l.put(w)
		failure := faults.NewFailedRead(at)
		p, err := w.process(l.t.Context(), failure.Interceptor())
		if err != nil {
			return false, err
		}
		left, because := p.deliver(l.t.Context(), events...)
		p.work(l.t.Context())
		if !failure.Failed() {
			if because != nil {
				return false, fmt.Errorf("undisturbed: %w", because)
			}
			return false, nil
		}
		if err := w.end(l.t.Context(), left...); err != nil {
			return true, errors.Join(err, because)
		}
		return true, nil
	})
}

// pointsAtOnce is the number of points tried at once.
const pointsAtOnce = 2

// eachPoint calls try with 1, 2, … until it returns false: there is no such point. It returns the
// errors of try, and an error if there is no point at all. It logs the number of points.
func (l *teller) eachPoint(what string, try func(at int) (there bool, err error)) error {
	var mu sync.Mutex
	var errs []error
	next, points, ended := 1, 0, false
	var all sync.WaitGroup
	for range pointsAtOnce {
		all.Go(func() {
			for {
				mu.Lock()
				at, stop := next, ended
				next++
				mu.Unlock()
				if stop {
					return
				}
				there, err := try(at)
				mu.Lock()
				if there {
					points++
				}
				ended = ended || err != nil || !there
				if err != nil {
					errs = append(errs, fmt.Errorf("%s %d: %w", what, at, err))
				} else if !there && at == 1 {
					errs = append(errs, fmt.Errorf("there is no %s", what))
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	l.t.Logf("points: %d of each %s", points, what)
	return errors.Join(errs...)
}
