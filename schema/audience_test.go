package schema

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestAudienceOf(t *testing.T) {
	for name, c := range map[string]struct {
		fields map[string]any
		want   string
		bad    string // in the error
	}{
		"from before":               {map[string]any{}, "ada", ""},
		"one's own":                 {map[string]any{"audience": "ada"}, "ada", ""},
		"nobody":                    {map[string]any{"audience": ""}, "", ""},
		"a group":                   {map[string]any{"audience": "g_team"}, "g_team", ""},
		"not hidden":                {map[string]any{"audience": "g_team", "hidden": false}, "g_team", ""},
		"hidden":                    {map[string]any{"audience": "ada", "hidden": true}, "", ""},
		"hidden, from before":       {map[string]any{"hidden": true}, "", ""},
		"hidden is no boolean":      {map[string]any{"hidden": "true"}, "ada", ""},
		"another person":            {map[string]any{"audience": "bob"}, "", "neither the author nor a group"},
		"a number":                  {map[string]any{"audience": int64(7)}, "", "not a string"},
		"null":                      {map[string]any{"audience": nil}, "", "not a string"},
		"undecodable":               {map[string]any{"audience": Undecodable{}}, "", "not a string"},
		"a path":                    {map[string]any{"audience": "g_/x"}, "", "slash"},
		"too long to be queried":    {map[string]any{"audience": "g_" + strings.Repeat("x", 1498)}, "", "bytes"},
		"hidden, of a bad audience": {map[string]any{"audience": int64(7), "hidden": true}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := AudienceOf("ada", c.fields)
			if got != c.want || (err != nil) != (c.bad != "") || err != nil && !strings.Contains(err.Error(), c.bad) {
				t.Errorf("%q, %v; want %q and an error with %q", got, err, c.want, c.bad)
			}
		})
	}
}

func TestRecipientsOf(t *testing.T) {
	many := make([]any, MaxRecipients)
	for n := range many {
		many[n] = strconv.Itoa(n)
	}
	for name, c := range map[string]struct {
		fields map[string]any
		own    bool
		want   int // how many
		bad    string
	}{
		"none":                {map[string]any{}, false, 0, ""},
		"the author":          {map[string]any{}, true, 1, ""},
		"oneself":             {map[string]any{"to": []any{"ada"}}, false, 0, ""},
		"some, one twice":     {map[string]any{"to": []any{"bob", "eve", "bob", "ada"}}, true, 3, ""},
		"as many as may be":   {map[string]any{"to": many}, true, 101, ""},
		"too many":            {map[string]any{"to": append(slices.Clone(many), "x")}, true, 1, "101 elements"},
		"no array":            {map[string]any{"to": "bob"}, false, 0, "not an array"},
		"a number":            {map[string]any{"to": []any{"bob", int64(7)}}, false, 1, "to[1]"},
		"an id with a slash":  {map[string]any{"to": []any{"b/b"}}, false, 0, "slash"},
		"a strange id":        {map[string]any{"to": []any{strings.Repeat("y", 1500), "bob", "__id5__"}}, true, 2, "to[0]: strange id: it has 1500 bytes, an account's may have 1499"},
		"undecodable":         {map[string]any{"to": Undecodable{}}, false, 0, "not an array"},
		"an empty array":      {map[string]any{"to": []any{}}, false, 0, ""},
		"hidden":              {map[string]any{"to": []any{"bob"}, "hidden": true}, true, 0, ""},
		"hidden, with errors": {map[string]any{"to": "bob", "hidden": true}, true, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := RecipientsOf("ada", c.fields, c.own)
			if len(got) != c.want || !slices.IsSorted(got) || (err != nil) != (c.bad != "") || err != nil && !strings.Contains(err.Error(), c.bad) {
				t.Errorf("%q, %v; want %d and an error with %q", got, err, c.want, c.bad)
			}
		})
	}
	got, _ := RecipientsOf("ada", map[string]any{"to": []any{"eve", "bob", "eve"}}, true)
	if diff := cmp.Diff([]string{"ada", "bob", "eve"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestRecipientsVersion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.StringN(1, 3, -1), 1, 5)
		a, b := ids.Draw(t, "a"), ids.Draw(t, "b")
		if va, vb := RecipientsVersion(a), RecipientsVersion(b); va < 0 || (va == vb) != slices.Equal(a, b) {
			t.Errorf("%q has version %d, %q has %d", a, va, b, vb)
		}
	})
}
