package deliverytest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/relationindex/testkit/clients"
	"example.com/relationindex/testkit/stories"
)

// op is one write of a client.
type op = clients.Op

// followedAt returns the createdAt of a follow, as a server writes it. The time is later than earlier
// follows, and before all posts: so a follow brings all posts.
func followedAt() time.Time { return stories.Day.Add(-24*time.Hour + time.Since(began)) }

var began = time.Now()

// apart is the time between two posts, so that posts are on several days.
const apart = 9 * time.Hour

// event has a handler's call, with ids alone.
type event struct {
	name   string
	handle func(context.Context, System) error
}

// eventOf returns the event of a document that was just written, from its fields before and after; nil: it does not exist.
// ok is false if no delivery handles such events.
func eventOf(path string, before, after map[string]any) (e event, ok bool) {
	parts, there, at := strings.Split(path, "/"), after != nil, time.Now()
	of, id := parts[1], parts[len(parts)-1]
	e.name = fmt.Sprintf("%s, which exists: %t", path, there)
	switch collection := parts[len(parts)-2]; {
	case collection == "posts":
		e.handle = func(ctx context.Context, s System) error { return s.Graph.Deliveries().Post(ctx, id) }
	case collection == "users" && !there:
		e.handle = func(ctx context.Context, s System) error { return s.Accounts.Purge(ctx, id, "1", "") }
	case collection == "followers":
		e.handle = func(ctx context.Context, s System) error { return s.Graph.Follow(ctx, of, id) }
	case collection == "blocked":
		e.handle = func(ctx context.Context, s System) error { return s.Block(ctx, of, id, at, there) }
	case collection == "hidden":
		e.handle = func(ctx context.Context, s System) error { return s.Decisions.Hide(ctx, of, id) }
	case collection == "settings" && there:
		hides, shows := change(before, after)
		e.handle = func(ctx context.Context, s System) error { return s.Decisions.Decided(ctx, of, hides, shows) }
	case collection == "comments" && there:
		e.handle = func(ctx context.Context, s System) error { return s.Comment(ctx, of, id) }
	}
	return e, e.handle != nil
}

// then returns e, and after it the events of what its handler has deleted. If they fail, e comes again.
func (e event) then(more []event) event {
	return event{e.name, func(ctx context.Context, s System) error {
		err := e.handle(ctx, s)
		for _, next := range more {
			if err == nil {
				err = next.handle(ctx, s)
			}
		}
		return err
	}}
}

// change reports whether the settings after, written in place of before, hide or show more, as the
// event's handler computes it. The return of an idle reader shows more.
func change(before, after map[string]any) (hides, shows bool) {
	lacks := func(some, others map[string]any, list string) bool {
		has, _ := some[list].([]any)
		all, _ := others[list].([]any)
		return slices.ContainsFunc(all, func(o any) bool { return !slices.Contains(has, o) })
	}
	idle := func(fields map[string]any) bool {
		seen, ok := fields["seenAt"].(time.Time)
		return ok && time.Since(seen) > Idle
	}
	return lacks(before, after, "hide") || lacks(after, before, "show"),
		lacks(after, before, "hide") || lacks(before, after, "show") || idle(before) && !idle(after)
}
