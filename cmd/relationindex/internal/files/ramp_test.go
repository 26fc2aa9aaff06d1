package files

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// An import begins with 500 rows a second, and has half as many more each five minutes.
func TestRampGrowsAsFirestoreAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := ImportOptions{Ramp: true}.ramp()
		rows, began := 0, time.Now()
		for _, want := range []int{150_000, 225_000, 337_500} { // of five minutes
			before := rows
			for time.Since(began) < rampStep {
				if err := r.wait(t.Context(), 1250); err != nil { // an author's
					t.Fatal(err)
				}
				rows += 1250
			}
			began = began.Add(rampStep)
			if n := rows - before; n < want-2500 || n > want+2500 {
				t.Errorf("%d rows in five minutes, want about %d", n, want)
			}
		}
	})
}

func TestRampEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (ImportOptions{Ramp: true}).ramp().wait(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its time: %v", err)
	}
	if err := (ImportOptions{}).ramp().wait(ctx, 1_000_000); err != nil {
		t.Errorf("without a ramp: %v", err)
	}
}
