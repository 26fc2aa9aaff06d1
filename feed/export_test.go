package feed

import "time"

// SetNow sets the clock that whom readers follow is kept by.
func (f *Feed) SetNow(now func() time.Time) { f.follows.now = now }
