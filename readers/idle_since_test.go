package readers_test

import (
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/configured"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// A reader without seenAt is idle from the time idleness was turned on, also after a restart of the
// functions. Posts made meanwhile are delivered when the reader is first seen.
func TestUnseenReaderIsIdleOnceIdlenessIsOn(t *testing.T) {
	t.Parallel()
	const after = 24 * time.Hour
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, ReaderSettings: true})
	on := a.Config
	on.Idle = after
	// turnedOn lets functions start that have been on for so long.
	turnedOn := func(ago time.Duration) {
		t.Helper()
		a.Config = on
		a.Register()
		a.Must(configured.Document(a.Client).Update(t.Context(), []firestore.Update{{Path: "idleSince", Value: time.Now().Add(-ago)}}))
		a.Register()
	}
	seen := func(reader string, at time.Time) {
		t.Helper()
		a.Must(a.Client.Doc("users/"+reader+"/settings/feed").Set(t.Context(), map[string]any{"seenAt": at}))
		a.Settle()
	}
	for _, r := range []string{"never", "nothing", "active"} {
		a.FollowSince(r, "ann", time.Now().Add(-2*time.Hour))
	}
	a.Must(a.Client.Doc("users/never/settings/feed").Set(t.Context(), map[string]any{"hide": []string{"*/ad"}}))
	seen("active", time.Now())
	turnedOn(after - time.Hour)
	a.Post("p1", "ann", time.Now().Add(-time.Hour))
	a.Settle()
	for _, r := range []string{"never", "nothing", "active"} {
		a.WantShown(r, "p1")
	}
	turnedOn(after + time.Hour)
	a.Post("p2", "ann", time.Now().Add(-time.Hour))
	a.Settle()
	a.WantShown("never", "p1")
	a.WantShown("nothing", "p1")
	a.WantShown("active", "p1", "p2")
	a.Must(a.Client.Doc("users/nothing/settings/feed").Set(t.Context(), map[string]any{"hide": []string{}})) // not seen
	a.Must(a.Client.Doc("users/nothing/settings/read").Set(t.Context(), map[string]any{"readAt": time.Now()}))
	a.Settle()
	a.WantShown("nothing", "p1")
	seen("never", time.Now())
	seen("nothing", time.Now())
	a.WantShown("never", "p1", "p2")
	a.WantShown("nothing", "p1", "p2")

	// Off and on again, it counts anew.
	a.Follow("late", "ann") // later than p1 and p2
	a.Settle()
	a.Config.Idle = 0
	a.Register()
	a.Config = on
	a.Register()
	a.Post("p3", "ann", time.Now())
	a.Settle()
	for _, r := range []string{"never", "nothing", "active"} {
		a.WantShown(r, "p1", "p2", "p3")
	}
	a.WantShown("late", "p3")
}
