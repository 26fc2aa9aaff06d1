package site

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Since returns the actions that have changed after a revision, as they are now, the
// revision of now, and what is closed by the next change. A reader that asks
// late misses states between, and no action but those that are not kept.
func (a *Actions) Since(revision int64) (changed []Action, now int64, next <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range a.log {
		if e.revision > revision {
			action := e.Action
			action.What = append([]Cause{}, e.What...) // it may grow
			changed = append(changed, action)
		}
	}
	return changed, a.revision, a.changed
}

// ServeHTTP streams the actions as Server-Sent Events: the last ones at once,
// then each again whenever it has grown, until the client goes or the system is
// closed. Each event is an [Action] as JSON. A client that reads slowly gets
// later states.
func (a *Actions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	stream := http.NewResponseController(w)
	for revision := int64(0); ; {
		changed, now, next := a.Since(revision)
		revision = now
		for _, action := range changed {
			text, err := json.Marshal(action)
			if err != nil {
				return // numbers, strings and times always marshal
			}
			if _, err := fmt.Fprintf(w, "data: %s\n\n", text); err != nil {
				return // it has gone
			}
		}
		if stream.Flush() != nil {
			return
		}
		select {
		case <-next:
		case <-r.Context().Done():
			return
		case <-a.ctx.Done():
			return
		}
	}
}
