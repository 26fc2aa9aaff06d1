package testkit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Same reports an error unless want and got are equal. what names got.
func Same(t testing.TB, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// NoError reports err, unless it is nil. The test goes on.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
