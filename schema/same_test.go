package schema

import (
	"math"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/genproto/googleapis/type/latlng"
)

func TestSameValue(t *testing.T) {
	nan := math.NaN()
	at := time.Date(2026, 11, 22, 1, 2, 3, 4000, time.UTC)
	ref := func(path string) *firestore.DocumentRef { return &firestore.DocumentRef{Path: path} }
	in := func(v any) any { return []any{map[string]any{"a": []any{"x", v}}} }
	for _, c := range []struct {
		a, b any
		same bool
	}{
		{nan, nan, true},
		{nan, math.Float64frombits(math.Float64bits(nan) ^ 1), true},
		{nan, 0.0, false},
		{math.Inf(1), math.Inf(1), true},
		{math.Inf(1), math.Inf(-1), false},
		{int64(1), 1.0, true},
		{int64(1), 1.5, false},
		{int64(1), int64(2), false},
		{0.0, math.Copysign(0, -1), true},
		{int64(1<<53 + 1), float64(1 << 53), false},
		{int64(math.MaxInt64), float64(1 << 63), false},
		{int64(math.MinInt64), -float64(1 << 63), true},
		{int64(0), nan, false},
		{int64(1), "1", false},
		{1.0, "1", false},
		{at, at.Add(999 * time.Nanosecond), true},
		{at, at.In(time.FixedZone("", 3600)), true},
		{at, at.Add(time.Microsecond), false},
		{at, "now", false},
		{[]byte("x"), []byte("x"), true},
		{[]byte{}, []byte(nil), true},
		{[]byte("x"), []byte("y"), false},
		{[]byte("x"), "x", false},
		{&latlng.LatLng{Latitude: 1, Longitude: 2}, &latlng.LatLng{Latitude: 1, Longitude: 2}, true},
		{&latlng.LatLng{Latitude: 1, Longitude: 2}, &latlng.LatLng{Latitude: 1, Longitude: 3}, false},
		{ref("a/b"), ref("a/b"), true},
		{ref("a/b"), ref("a/c"), false},
		{ref("a/b"), (*firestore.DocumentRef)(nil), false},
		{(*firestore.DocumentRef)(nil), nil, true},
		{nil, nil, true},
		{nil, "", false},
		{"", nil, false},
		{nil, false, false},
		{"x", "x", true},
		{"x", "y", false},
		{true, true, true},
		{true, false, false},
		{firestore.Vector64{1, nan}, firestore.Vector64{1, nan}, true},
		{firestore.Vector64{1, 2}, firestore.Vector64{1, 3}, false},
		{firestore.Vector64{1}, []any{1.0}, false},
		{firestore.BSONObjectID("a"), firestore.BSONObjectID("a"), true},
		{firestore.BSONObjectID("a"), firestore.BSONObjectID("b"), false},
		{[]any{"x", "y"}, []any{"y", "x"}, false},
		{[]any{"x"}, []any{"x", "x"}, false},
		{[]any{}, []any{}, true},
		{map[string]any{"a": nil}, map[string]any{}, false},
		{map[string]any{"a": nil}, map[string]any{"b": nil}, false},
		{map[string]any{}, []any{}, false},
	} {
		for _, pair := range [][2]any{{c.a, c.b}, {c.b, c.a}, {in(c.a), in(c.b)}} {
			if got := SameValue(pair[0], pair[1]); got != c.same {
				t.Errorf("%v and %v are the same: %v", pair[0], pair[1], got)
			}
		}
	}
}
