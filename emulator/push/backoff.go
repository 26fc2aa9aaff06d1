package push

import (
	"fmt"
	"time"
)

// Backoff is a pause that doubles with each failure: First, then twice as long each time,
// at most Max. A redelivery waits up to a half less, at random.
type Backoff struct {
	First time.Duration
	Max   time.Duration
}

// The defaults of Options.Retry, for a value of 0. They are shorter than production's.
const (
	DefaultFirst = 100 * time.Millisecond
	DefaultMax   = 10 * time.Second
)

func (b Backoff) withDefaults() Backoff {
	if b.First == 0 {
		b.First = DefaultFirst
	}
	if b.Max == 0 {
		b.Max = DefaultMax
	}
	return b
}

// validate returns an error if b breaks a rule. set is b without defaults: the error says
// which value is one.
func (b Backoff) validate(option string, set Backoff) error {
	text := fmt.Sprintf("%s = %v to %v", option, b.First, b.Max)
	switch {
	case b.First != set.First:
		text += " (First is the default)"
	case b.Max != set.Max:
		text += " (Max is the default)"
	}
	switch {
	case b.First < 0 || b.Max < 0:
		return fmt.Errorf("%s: must not be negative", text)
	case b.First > b.Max:
		return fmt.Errorf("%s: First must not be longer than Max", text)
	default:
		return nil
	}
}

// Delay returns the pause after a failed attempt, counted from 1, less a random part of up
// to a half. random is in [0, 1).
func (b Backoff) Delay(attempt int, random float64) time.Duration {
	d := b.First
	for range attempt - 1 {
		if d >= b.Max/2 {
			d = b.Max
			break
		}
		d *= 2
	}
	return d - time.Duration(random*float64(d)/2)
}
