package followers

import (
	"context"
	"errors"
	"testing"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

// failing is a delivery whose work always ends with an error; nil: none.
type failing struct{ err error }

func (f failing) Followed(context.Context, Change) error       { return f.err }
func (f failing) Post(context.Context, string) error           { return f.err }
func (f failing) Edited(context.Context, string) error         { return f.err }
func (f failing) Take(context.Context, string, []string) error { return f.err }
func (failing) PostJob(string) string                          { return "" }
func (failing) Tasks() []chunker.Task                          { return nil }
func (failing) Forget() []Forgotten                            { return nil }

// A bad document is not retried. So it must not hide that the work of another delivery
// has to be.
func TestDeliveriesKeepTheKindOfTheirErrors(t *testing.T) {
	bad, damaged := schema.BadDocument("posts/p", "no author"), error(&schema.Damaged{Path: "users/u/followers_index/00001", Cause: errors.New("no array")})
	for _, c := range []struct {
		name                    string
		errs                    []error
		bad, damaged, again, ok bool
	}{
		{name: "none fails", errs: []error{nil, nil}, ok: true},
		{name: "one is bad", errs: []error{bad}, bad: true},
		{name: "one is damaged", errs: []error{damaged, nil}, damaged: true},
		{name: "all are bad", errs: []error{bad, bad}, bad: true},
		{name: "a bad one and a retry", errs: []error{bad, schema.ErrContention}, again: true},
		{name: "a bad and a damaged one", errs: []error{bad, damaged}},
		{name: "a damaged one and a retry", errs: []error{damaged, schema.ErrContention}, again: true},
	} {
		var ds Deliveries
		for _, err := range c.errs {
			ds = append(ds, failing{err})
		}
		for what, err := range map[string]error{
			"Followed": ds.Followed(t.Context(), Change{}),
			"Post":     ds.Post(t.Context(), "p"),
		} {
			if (err == nil) != c.ok || errors.Is(err, schema.ErrBadDocument) != c.bad ||
				schema.OnlyDamaged(err) != c.damaged || errors.Is(err, schema.ErrContention) != c.again {
				t.Errorf("%s: %s: %v", c.name, what, err)
			}
		}
	}
}
