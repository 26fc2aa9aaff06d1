package instances

import (
	"context"
	"errors"
	"net/http"
)

type numberKey struct{}

// Number returns the number of the instance that takes a request, from 0; false outside of
// [Service.Handler].
func Number(ctx context.Context) (number int, ok bool) {
	number, ok = ctx.Value(numberKey{}).(int)
	return number, ok
}

// Handler returns handler behind the instances of s. It answers 429 to a request that finds
// no room in time, and 503 to one whose client disconnects while it waits.
func (s *Service) Handler(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		number, release, err := s.Acquire(r.Context())
		switch {
		case errors.Is(err, ErrNoRoom):
			http.Error(w, "The request was aborted because there was "+err.Error()+".", http.StatusTooManyRequests)
			return
		case err != nil:
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		defer release()
		handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), numberKey{}, number)))
	})
}
