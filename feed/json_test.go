package feed

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/genproto/googleapis/type/latlng"
)

func TestValuesAsJSON(t *testing.T) {
	zone := time.FixedZone("east", 3600)
	for _, c := range []struct {
		name  string
		value any
		want  string
	}{
		{"null", nil, `null`},
		{"boolean", true, `true`},
		{"integer", int64(math.MaxInt64), `9223372036854775807`},
		{"number", 0.5, `0.5`},
		{"NaN", math.NaN(), `"NaN"`},
		{"infinity", math.Inf(1), `"Infinity"`},
		{"negative infinity", math.Inf(-1), `"-Infinity"`},
		{"string", "a</script>\u2028\x00", `"a\u003c/script\u003e\u2028\u0000"`},
		{"bytes", []byte{0, 255}, `"AP8="`},
		{"timestamp", time.Date(2026, 11, 20, 19, 0, 0, 123_456_000, zone), `"2026-11-20T18:00:00.123456Z"`},
		{"timestamp of a whole second", time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC), `"2026-11-20T18:00:00Z"`},
		{"reference", &firestore.DocumentRef{Path: "projects/p/databases/(default)/documents/users/ada"}, `"users/ada"`},
		{"geo point", &latlng.LatLng{Latitude: 52.5, Longitude: -13}, `{"latitude":52.5,"longitude":-13}`},
		{"vector", firestore.Vector64{1, math.Inf(1)}, `[1,"Infinity"]`},
		{"nested", map[string]any{"a": []any{math.NaN(), map[string]any{"at": time.Unix(0, 0)}}}, `{"a":["NaN",{"at":"1970-01-01T00:00:00Z"}]}`},
		{"empty", map[string]any{"a": []any{}, "m": map[string]any{}}, `{"a":[],"m":{}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := json.Marshal(plain(c.value))
			if err != nil || string(got) != c.want {
				t.Errorf("got %s, %v; want %s", got, err, c.want)
			}
		})
	}
}
