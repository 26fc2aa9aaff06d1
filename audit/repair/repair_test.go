package repair_test

import (
	"context"
	"testing"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/testkit"
)

// Changed followers make a new version: a process with the old ones detects the change.
func TestRepairRewriteMakesNewVersion(t *testing.T) {
	t.Parallel()
	a := testkit.SoundApp(t)
	const document = "users/author/followers_index/00001"
	version, _ := a.Data(document)["version"].(int64)
	a.Must(a.Client.Doc(document).Update(t.Context(), []firestore.Update{{Path: "followers", Value: []string{"r1", "r2", "r2"}}}))
	a.Repair("")
	want := map[string]any{"followers": []any{"r1", "r2"}, "count": int64(2), "sizeBytes": int64(6), "version": version + 1, "changes": []any{}, "backfilled": true}
	got := a.Data(document)
	if rewritten, _ := got["rewritten"].(int64); rewritten == 0 {
		t.Error("it does not say when it was rewritten")
	}
	delete(got, "rewritten")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRepairResumesAfterCancellation(t *testing.T) {
	t.Parallel()
	a := testkit.SoundApp(t)
	a.Must(a.Client.Doc("_relations/p1_00001").Delete(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := repair.New(a.Instance()).Repair(ctx, "", func(verify.Violation) { cancel() }, nil)
	if err == nil {
		t.Error("it says nothing")
	}
	a.Repair("")
	a.WantSound()
}
