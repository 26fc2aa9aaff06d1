package deliverytest

import (
	"slices"
	"time"
)

// Idle is the absence after which a delivery that decides leaves a reader out: see [Suite.Decides].
const Idle = 24 * time.Hour

// decided has a reader's decisions about their feed.
type decided struct {
	hide, show []string // patterns: see [readers.Settings.Hides]
	idle       bool     // the reader has been away for longer than Idle
}

// mark names a post and a reader who hides it.
type mark struct{ post, reader string }

func (d decided) fields() map[string]any {
	seen := time.Now()
	if d.idle {
		seen = seen.Add(-2 * Idle)
	}
	return map[string]any{"hide": d.hide, "show": d.show, "seenAt": seen}
}

// change reports whether the settings to, written in place of d, hide or show more than before, as the
// event's handler computes it. The return of an idle reader shows more.
func (d decided) change(to decided) (hides, shows bool) {
	lacks := func(some, others []string) bool {
		return slices.ContainsFunc(others, func(o string) bool { return !slices.Contains(some, o) })
	}
	return lacks(d.hide, to.hide) || lacks(to.show, d.show), lacks(to.hide, d.hide) || lacks(d.show, to.show) || d.idle && !to.idle
}
