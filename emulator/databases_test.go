package emulator_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/relationindex/emulator"
)

// Two databases of one project have triggers of the same name, and nothing of one is the other's: not its events, not what
// Idle waits for, not what Clear deletes.
func TestTwoDatabasesOfOneProject(t *testing.T) {
	project := projectOf(t)
	blue := emulator.Name(project, "blue")
	var atDefault, atBlue inbox
	release := make(chan struct{})
	register(t, project, "a/{n}", function(t, func(w http.ResponseWriter, r *http.Request) {
		<-release
		atDefault.keeper(t)(w, r)
	}))
	register(t, blue, "a/{n}", function(t, atBlue.keeper(t)))
	var want, wantBlue []string
	for n := range 20 {
		want, wantBlue = append(want, fmt.Sprintf("a/%d", n)), append(wantBlue, fmt.Sprintf("a/blue-%d", n))
		write(t, project, "x", want[n], fmt.Sprintf("others/%d", n), want[n]+"/below/b")
		write(t, blue, "x", wantBlue[n])
	}

	idle(t, blue) // while nothing of (default) is taken
	unordered := cmpopts.SortSlices(strings.Compare)
	if diff := cmp.Diff(wantBlue, atBlue.documents(), unordered); diff != "" {
		t.Errorf("events of blue (-want +got):\n%s", diff)
	}
	for _, e := range atBlue.all() {
		if e.header.Get("Ce-Database") != "blue" || e.header.Get("Ce-Source") != "//firestore.googleapis.com/projects/"+project+"/databases/blue" {
			t.Errorf("an event of blue has the headers %v", e.header)
		}
	}
	hooks.Store(blue, &hook{busy: func(context.Context) (string, error) { return "job j1", nil }})
	for name, busy := range map[string]map[string]string{project: nil, blue: {blue: "job j1"}} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		var notIdle *emulator.NotIdleError
		if err := shared(t).Broker().Idle(ctx, name); !errors.As(err, &notIdle) || (len(notIdle.Triggers) == 0) != (name == blue) || !cmp.Equal(notIdle.Busy, busy) {
			t.Errorf("%s: %v, want busy %v, and deliveries only of (default)", name, err, busy)
		}
	}
	hooks.Delete(blue)

	close(release)
	idle(t, project)
	if diff := cmp.Diff(want, atDefault.documents(), unordered); diff != "" {
		t.Errorf("events of (default) (-want +got):\n%s", diff)
	}
	idle(t, blue)
	for _, name := range []string{project, blue} {
		if got, want := shared(t).Broker().Stats(name), (emulator.Stats{Events: 20, Deliveries: 20}); got != want {
			t.Errorf("%s has %+v, want %+v", name, got, want)
		}
	}
}
