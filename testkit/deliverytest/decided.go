package deliverytest

import (
	"slices"
	"time"
)

// Idle is after how long a reader of a delivery that decides is left out: see [Suite.Decides].
const Idle = 24 * time.Hour

// decided is what a reader decides about their feed.
type decided struct {
	hide, show []string // patterns: see [readers.Settings.Hides]
	idle       bool     // has not been there for longer than Idle
}

// mark names a post that a reader hides, or that a comment lifts for the reader.
type mark struct{ post, reader string }

func (d decided) fields() map[string]any {
	seen := time.Now()
	if d.idle {
		seen = seen.Add(-2 * Idle)
	}
	return map[string]any{"hide": d.hide, "show": d.show, "seenAt": seen}
}

// change says what the change of a reader's settings to d asks for, as the event's handler does.
func (d decided) change(to decided) (hides, shows bool) {
	lacks := func(some, others []string) bool {
		return slices.ContainsFunc(others, func(o string) bool { return !slices.Contains(some, o) })
	}
	return lacks(d.hide, to.hide) || lacks(to.show, d.show), lacks(to.hide, d.hide) || lacks(d.show, to.show) || d.idle && !to.idle
}
