package relations_test

import (
	"math"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// NaN is copied once: an event that comes again, verify and repair find it the same.
func TestNaNIsCopiedOnce(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, CopiedFields: []string{"score", "list"}})
	a.Follow("reader", "author")
	a.Settle()
	nan := math.NaN()
	a.Must(a.Client.Doc("posts/p").Set(t.Context(), map[string]any{
		"userId": "author", "createdAt": stories.Day, "score": nan, "list": []any{map[string]any{"n": nan}, time.Unix(1, 0)},
	}))
	a.Settle()
	relation := a.Client.Doc("_relations/p_00001")
	before, err := relation.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if score, ok := before.Data()["score"].(float64); !ok || !math.IsNaN(score) {
		t.Fatalf("the relation's score is %v, want NaN", before.Data()["score"])
	}
	a.WantVerified()
	if err := a.Instance().Deliveries.Post(t.Context(), "p"); err != nil { // as an event that comes again
		t.Error(err)
	}
	var went []string
	progress := func(doing string, _ int64) {
		if len(went) == 0 || went[len(went)-1] != doing {
			went = append(went, doing)
		}
	}
	if _, err := repair.New(a.Instance()).Repair(t.Context(), "author", func(v verify.Violation) { t.Error(v) }, progress); err != nil {
		t.Error(err)
	}
	if len(went) != 1 {
		t.Errorf("at rest a repair takes one round, this one went %v", went)
	}
	after, err := relation.Get(t.Context())
	if err != nil || !after.UpdateTime.Equal(before.UpdateTime) {
		t.Errorf("the relation was written again at %v (%v), it was made at %v", after.UpdateTime, err, before.UpdateTime)
	}
	a.Edit("p", firestore.Update{Path: "score", Value: 1})
	a.Settle()
	if got := a.Data("_relations/p_00001")["score"]; got != int64(1) {
		t.Errorf("after an edit the relation's score is %v", got)
	}
	a.WantVerified()
}
