package relations

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func indexWithSlots(n int) *Index { return &Index{slots: make(chan struct{}, n)} }

func TestEachAPanicIsAnError(t *testing.T) {
	x := indexWithSlots(2)
	_, err := each(t.Context(), x, []int{1, 2, 3}, func(_ context.Context, n int) error {
		if n == 2 {
			panic(fmt.Sprint("cannot decode ", n))
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "cannot decode 2") {
		t.Errorf("the error is %v, want the panic", err)
	}
	if len(x.slots) != 0 {
		t.Errorf("%d slots are taken when each has ended", len(x.slots))
	}
}
