package functions_test

import (
	"testing"

	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/testkit"
)

// A purge that ends before its last page takes its mark with it, whoever has ended it: the
// event of its job says so.
func TestTheMarkOfAPurgeGoesWithItsJob(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state   string
		deleted bool
	}{
		"that fails":                      {state: "failed"},
		"that an operator cancels":        {state: "canceled"},
		"whose job an operator deletes":   {state: "queued", deleted: true},
		"whose failed job somebody loses": {state: "failed", deleted: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, config.Functions{})
			a.Profile("ada", map[string]any{"displayName": "Ada"}) // a server has created it
			purge := "_functions/purge:" + a.Instance().DB.TombstoneID("ada")
			job := map[string]any{"kind": "relations.purge", "state": c.state, "args": map[string]any{"author": "ada"}}
			documents := map[string]map[string]any{purge: job, "_purging/ada": {}, "_purging/other": {}}
			if !c.deleted {
				testkit.Write(t, a.Client, documents)
			} else {
				a.Silence()
				testkit.Write(t, a.Client, documents)
				a.Wake()
				a.Must(a.Client.Doc(purge).Delete(t.Context()))
			}
			a.Settle()
			a.wantMarked(false)
			if a.Count("_purging") != 1 {
				t.Error("the mark of another purge has gone")
			}
		})
	}
}
