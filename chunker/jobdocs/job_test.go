package jobdocs

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestFailureIsValidAndBounded(t *testing.T) {
	f := NewFailure(errors.New(strings.Repeat("é", 1000)), time.Now())
	if len(f.Message) > 1000 || strings.ContainsRune(f.Message, '\uFFFD') {
		t.Errorf("message has %d bytes: %q", len(f.Message), f.Message)
	}
}
