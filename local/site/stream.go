package site

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Since returns the actions that have changed after a revision, in their current state, the
// current revision, and a channel that the next change closes. A late reader misses
// states between, and the actions that are not kept, but no other action.
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
// then each again whenever it has grown, until the client disconnects or the system
// is closed. Each event is an [Action] as JSON. A slow client misses states between.
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
				return // never fails for numbers, strings and times
			}
			if _, err := fmt.Fprintf(w, "data: %s\n\n", text); err != nil {
				return // the client has disconnected
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
