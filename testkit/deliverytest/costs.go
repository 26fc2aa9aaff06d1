package deliverytest

import "example.com/relationindex/internal/wire"

// cost reports the cost of a story for the functions. It never fails for a high cost.
func (l *teller) cost() error {
	w, events, err := l.begin(l.t.Context())
	if err != nil {
		return err
	}
	defer l.put(w)
	var meter wire.Meter
	p, err := w.process(l.t.Context(), meter.Interceptor())
	if err != nil {
		return err
	}
	err = p.settle(l.t.Context(), events...)
	used := meter.Counts()
	l.t.Logf("%d reads, %d writes, %d deletes", used.Reads, used.Writes, used.Deletes)
	return err
}
