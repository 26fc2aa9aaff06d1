package operate

import (
	"errors"
	"strings"
	"testing"
)

// closed is a pipe that nobody reads any more.
type closed struct{ writes int }

var errClosed = errors.New("nobody reads")

func (c *closed) Write([]byte) (int, error) {
	c.writes++
	return 0, errClosed
}

// An unprintable listing is reported once, for any number of findings.
func TestListingToClosedOutputReportsOneError(t *testing.T) {
	t.Parallel()
	for _, asJSON := range []bool{false, true} {
		out := &closed{}
		l := newListing("documents", asJSON, out)
		for range 1000 {
			l.add("found")
		}
		err := l.end(nil, nil, "")
		if !errors.Is(err, errClosed) || strings.Count(err.Error(), errClosed.Error()) != 1 || out.writes != 1 || l.found != 1000 {
			t.Errorf("as JSON %t: after %d writes and %d found it says %.200s", asJSON, out.writes, l.found, err)
		}
	}
}
