package deliverytest

import (
	"errors"
	"fmt"

	"example.com/relationindex/emulator/faults"
)

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
