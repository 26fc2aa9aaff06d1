package feed

import (
	"errors"
	"time"
)

// errHorizon means that relations end: older posts may have none, so that pull has to find
// them.
var errHorizon = errors.New("beyond the horizon")

// oldest returns the time after which each post has its relations; the zero time without a
// horizon.
//
// Functions keep relations for longer than the horizon that is read here: the margin is far
// more than clocks differ and a page takes.
func (f *Feed) oldest(horizon time.Duration) time.Time {
	if horizon == 0 {
		return time.Time{}
	}
	return f.follows.now().Add(-horizon)
}
