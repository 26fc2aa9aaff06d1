package feed

import (
	"errors"
	"time"
)

// errHorizon means that relations end here. Older posts may have no relations, so pull has to find them.
var errHorizon = errors.New("beyond the horizon")

// oldest returns the time after which each post has its relations; the zero time without a horizon.
//
// Functions keep relations for longer than the horizon that oldest reads. The margin is far longer than the difference
// between clocks and the duration of a page.
func (f *Feed) oldest(horizon time.Duration) time.Time {
	if horizon == 0 {
		return time.Time{}
	}
	return f.follows.now().Add(-horizon)
}
