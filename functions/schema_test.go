package functions_test

import (
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/config"
)

// ofTheReleaseBefore makes a job what the release before schema 2 has left of it:
// half-done, with the step that had it dead.
func (a *app) ofTheReleaseBefore(id string, more ...firestore.Update) {
	a.T.Helper()
	a.Must(a.Client.Doc("_functions/"+id).Update(a.T.Context(), append(more,
		firestore.Update{Path: "schema", Value: firestore.Delete}, firestore.Update{Path: "owner", Value: firestore.Delete},
		firestore.Update{Path: "state", Value: "queued"}, firestore.Update{Path: "lease", Value: nil},
		firestore.Update{Path: "wakeAt", Value: time.Now().Add(-time.Minute)})))
}

// The cursor of an earlier release is the old name of a relation: it says nothing of
// which relations are done.
func TestAPostsJobOfTheReleaseBeforeStartsOver(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]config.Functions{
		"alone":    {InlineLimit: 2, Chunk: 2},
		"in lanes": {InlineLimit: 2, Chunk: 1, Lane: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := damagedApp(t, cfg)
			w := a.worker(0)
			a.Post("p2", "author", day.Add(2*time.Hour))
			if err := w.index.Deliveries.Post(t.Context(), "p2"); err != nil {
				t.Fatal(err)
			}
			cursor := firestore.Update{Path: "lastDoc", Value: a.Client.Doc("_relations/zzz_00001")}
			done := firestore.Update{Path: "done", Value: 2}
			if cfg.Lane == 0 {
				a.ofTheReleaseBefore("post:p2", cursor, done)
			} else {
				a.ofTheReleaseBefore("post:p2~00", cursor, done, firestore.Update{Path: "lane.reported.done", Value: 2})
				a.ofTheReleaseBefore("post:p2~01", cursor)
				a.Must(a.Client.Doc("_functions/post:p2").Update(t.Context(), []firestore.Update{{Path: "schema", Value: firestore.Delete}, done}))
			}
			a.wantDone(w, "post:p2", 6)
		})
	}
}
