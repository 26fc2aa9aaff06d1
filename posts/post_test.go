package posts

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/schema"
)

var since = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func array(n int) []any {
	values := make([]any, n)
	for i := range values {
		values[i] = strconv.Itoa(i)
	}
	return values
}

func emptyMaps(n int) []any {
	values := make([]any, n)
	for i := range values {
		values[i] = map[string]any{}
	}
	return values
}

func TestCopiedFields(t *testing.T) {
	created := since.Add(time.Hour)
	for _, c := range []struct {
		name string
		data map[string]any
		want map[string]any
	}{
		{"configured fields and the time", map[string]any{"text": "x", "createdAt": since, "other": 1}, map[string]any{"text": "x", "createdAt": since}},
		{"no time", map[string]any{"text": "x"}, map[string]any{"text": "x", "createdAt": created}},
		{"a time that is none", map[string]any{"createdAt": "today"}, map[string]any{"createdAt": created}},
		{"too large to copy", map[string]any{"text": strings.Repeat("x", schema.MaxCopiedBytes), "createdAt": since}, map[string]any{"createdAt": since}},
		{"an array that is large", map[string]any{"text": array(schema.MaxCopiedEntries/2 - 10), "createdAt": since}, map[string]any{"text": array(schema.MaxCopiedEntries/2 - 10), "createdAt": since}},
		{"too many index entries", map[string]any{"text": array(schema.MaxCopiedEntries / 2), "createdAt": since}, map[string]any{"createdAt": since}},
		{"too many in a map", map[string]any{"text": map[string]any{"a": array(schema.MaxCopiedEntries / 4), "b": array(schema.MaxCopiedEntries / 4)}, "createdAt": since}, map[string]any{"createdAt": since}},
		{"empty maps, which take bytes too", map[string]any{"text": emptyMaps(schema.MaxCopiedBytes / 32), "createdAt": since}, map[string]any{"createdAt": since}},
		{"a vector that is too large", map[string]any{"text": make(firestore.Vector64, schema.MaxCopiedBytes/8), "createdAt": since}, map[string]any{"createdAt": since}},
		{"what cannot be decoded", map[string]any{"text": schema.Undecodable{}, "createdAt": since}, map[string]any{"createdAt": since}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, copiedFields(c.data, created, []string{"text"})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
