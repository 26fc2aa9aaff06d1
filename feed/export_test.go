package feed

import "time"

// SetNow sets the clock that whom readers follow is kept by.
func (f *Feed) SetNow(now func() time.Time) { f.follows.now = now }

// SetNow sets the clock that keys are read again by.
func (k *Keys) SetNow(now func() time.Time) { k.now = now }

// Keys returns what seals the cursors.
func (f *Feed) Keys() *Keys { return f.keys }

// MaxPassed is the most posts that a page of a slice passes.
const MaxPassed = maxPassed
