package weather

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// spell returns the error of a call that fails in a burst of errors; nil for other calls.
func (w *Weather) spell() error {
	s := w.o.Spells
	if s.Share == 0 {
		return nil
	}
	w.mu.Lock()
	since := w.now().Sub(w.started)
	fails := w.random.Float64() < s.Share // also between bursts, so that the clock shifts fewer random numbers
	w.mu.Unlock()
	cycle := s.Pause + s.Length
	if since%cycle < s.Pause || !fails {
		return nil
	}
	w.counts.spells.Add(1)
	if since/cycle%2 == 0 {
		return status.Error(codes.Unavailable, "The service is currently unavailable.")
	}
	return status.Error(codes.ResourceExhausted, "Some resource has been exhausted, perhaps a per-user quota.")
}
