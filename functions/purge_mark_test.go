package functions_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/testkit"
)

// The event of a purge's end may be lost: verify names its mark, and repair deletes it.
func TestRepairDeletesAMarkThatIsLeft(t *testing.T) {
	t.Parallel()
	a := adas(t, config.Functions{})
	a.DeleteAccount("eve")
	testkit.Write(t, a.Client, map[string]map[string]any{"_purging/ada": {}, "_purging/eve": {}})
	w := a.worker(0)
	a.ok(w.index.Accounts.Purge(t.Context(), "eve", "1", "")) // is under way
	repaired, err := repair.New(w.index).Repair(t.Context(), "ada", nil, nil)
	a.ok(err)
	a.wantMarked(false)
	if repaired.After.Violations != 0 {
		t.Errorf("of ada, verify finds %v", repaired.Left)
	}
	repaired, err = repair.New(w.index).Repair(t.Context(), "", nil, nil)
	a.ok(err)
	if n := a.Count("_purging"); n != 1 {
		t.Errorf("%d marks, want that of the purge that is under way", n)
	}
	if got := fmt.Sprint(repaired.Left); !strings.Contains(got, "_purging/eve: no client can create this account") {
		t.Errorf("verify finds %s", got)
	}
	a.ok(w.finish(a))
	a.WantVerified()
}

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
