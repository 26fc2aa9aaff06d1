package faults_test

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/emulator/faults"
)

func TestFailedRead(t *testing.T) {
	t.Parallel()
	f := faults.NewFailedRead(2)
	c := open(t, f.Interceptor())
	for n, want := range []codes.Code{codes.NotFound, codes.Unknown, codes.NotFound} {
		if f.Failed() != (n > 1) {
			t.Errorf("before read %d it says %v", n+1, f.Failed())
		}
		if _, err := c.Doc("docs/none").Get(t.Context()); status.Code(err) != want {
			t.Errorf("read %d: %v, want %v", n+1, err, want)
		}
	}
	if _, err := c.Doc("docs/d").Set(t.Context(), map[string]any{"n": 1}); err != nil {
		t.Error(err)
	}
}
