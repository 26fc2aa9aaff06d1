package emulator_test

import (
	"net/http"
	"sync/atomic"
	"testing"

	"example.com/relationindex/emulator"
)

// An event whose function refuses it while others come and go has been
// overtaken by them; a backlog that is taken in its order overtakes nobody.
func TestWaits(t *testing.T) {
	t.Parallel()
	const others = 20
	for name, refused := range map[string]bool{"in order": false, "one is refused until the others are taken": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var taken atomic.Int64
			project := projectOf(t)
			url := function(t, func(w http.ResponseWriter, r *http.Request) {
				if refused && r.Header.Get("Ce-Document") == "c/0" && taken.Load() < others {
					w.WriteHeader(http.StatusInternalServerError)
					return
				}
				taken.Add(1)
			})
			err := shared(t).Broker().Register(t.Context(), project, emulator.Trigger{
				Name: "one", EventType: "google.cloud.firestore.document.v1.written", Document: "c/{id}", URL: url, Concurrency: 1,
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := shared(t).Broker().Waits(project); got != (emulator.Waits{}) {
				t.Errorf("%+v before the first event", got)
			}
			if err := commitRange(t.Context(), project, "x", 0, others+1); err != nil {
				t.Fatal(err)
			}
			idle(t, project)
			want := int64(0)
			if refused {
				want = others
			}
			if got := shared(t).Broker().Waits(project); got.Overtaken != want || got.Longest <= 0 {
				t.Errorf("%+v, want %d overtaken and some time", got, want)
			}
		})
	}
}
