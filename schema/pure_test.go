package schema

import (
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/genproto/googleapis/type/latlng"
)

func TestRelationID(t *testing.T) {
	for _, c := range []struct{ post, want string }{
		{"4fGh", "4fGh_00001"},
		{"a_b", "a_b_00001"},
		{"a_00001", "8vcrwjJLbeo9lURnW1l5ENV0YfcKx2hzWDmbkDsG6g4_00001"},
		{strings.Repeat("p", 64), strings.Repeat("p", 64) + "_00001"},
	} {
		if got := RelationID(c.post, "00001"); got != c.want {
			t.Errorf("relationID(%q) = %q, want %q", c.post, got, c.want)
		}
	}
	longest := RelationID(strings.Repeat("p", 1500), "00001")
	if err := CheckID(longest); err != nil || len(longest) != 49 {
		t.Errorf("the relation id of the longest post id is %q: %v", longest, err)
	}
	if longest == RelationID(strings.Repeat("p", 1499), "00001") {
		t.Error("two long post ids have the same relation id")
	}
}

func TestIndexNumbersSortInOrder(t *testing.T) {
	last := ""
	for n := 1; n < 99_999; n += 7 {
		id := IndexID(n)
		if id <= last {
			t.Fatalf("%q does not come after %q", id, last)
		}
		last = id
	}
}

func TestCheckID(t *testing.T) {
	for id, ok := range map[string]bool{
		"a": true, "with space": true, "日本": true, "__a": true, "a__": true, strings.Repeat("x", 1500): true,
		"": false, ".": false, "..": false, "a/b": false, "__a__": false, "\xff": false, strings.Repeat("x", 1501): false,
	} {
		if err := CheckID(id); (err == nil) != ok {
			t.Errorf("CheckID(%.20q) = %v", id, err)
		}
	}
}

// As the page "Storage size calculations" of Firestore's documentation has them.
func TestValueBytes(t *testing.T) {
	for _, tt := range []struct {
		value any
		want  int
	}{
		{"ab", 3},
		{[]byte("ab"), 2},
		{nil, 1},
		{true, 1},
		{int64(1), 8},
		{time.Time{}, 8},
		{&latlng.LatLng{}, 16},
		{[]any{"ab", int64(1), []any{}}, 11},
		{map[string]any{"tags": []any{"a", "b"}, "n": 1.5}, 32 + 5 + 4 + 2 + 8},
		{[]any{map[string]any{}, map[string]any{}}, 64},
		{firestore.Vector64{1, 2}, 96 + 16},
	} {
		if got := ValueBytes(tt.value); got != tt.want {
			t.Errorf("%v takes %d bytes, want %d", tt.value, got, tt.want)
		}
	}
}
