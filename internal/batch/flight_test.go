package batch

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// One call is for all who wait. Who leaves, fails alone, and takes nothing from the others, even if the
// call was theirs.
func TestFlightIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f Flight[int]
		var calls atomic.Int32
		hold := make(chan struct{})
		do := func(ctx context.Context) (int, error) {
			calls.Add(1)
			<-hold
			return 7, ctx.Err()
		}
		gone := errors.New("gone")
		leaving, leave := context.WithCancelCause(t.Context())
		left, stayed := make(chan error, 1), make(chan error, 1)
		go func() { _, err := f.Do(leaving, "key", do); left <- err }()
		synctest.Wait()
		go func() {
			got, err := f.Do(t.Context(), "key", do)
			if got != 7 {
				t.Errorf("the second gets %d", got)
			}
			stayed <- err
		}()
		synctest.Wait()
		leave(gone)
		if err := <-left; !errors.Is(err, gone) {
			t.Errorf("who leaves gets %v", err)
		}
		close(hold)
		if err := <-stayed; err != nil || calls.Load() != 1 {
			t.Errorf("who stays gets %v after %d calls", err, calls.Load())
		}
		if got, err := f.Do(t.Context(), "key", do); got != 7 || err != nil || calls.Load() != 2 {
			t.Errorf("the next gets %d, %v after %d calls", got, err, calls.Load())
		}
	})
}

func TestFlightAPanicIsAnError(t *testing.T) {
	var f Flight[int]
	if _, err := f.Do(t.Context(), "key", func(context.Context) (int, error) { panic("oh") }); err == nil || !strings.Contains(err.Error(), "oh") {
		t.Errorf("the error is %v", err)
	}
}
