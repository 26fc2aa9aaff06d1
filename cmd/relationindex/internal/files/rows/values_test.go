package rows_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/cmd/relationindex/internal/files/rows"
)

func TestParseTime(t *testing.T) {
	for value, want := range map[string]string{ // "": an error
		"0":                           "1970-01-01T00:00:00Z",
		"1341100972":                  "2012-07-01T00:02:52Z",
		"1341100972.000001":           "2012-07-01T00:02:52.000001Z",
		"100000000000":                "5138-11-16T09:46:40Z",
		"100000000001":                "1973-03-03T09:46:40.001Z",
		"100000000000.5":              "5138-11-16T09:46:40.5Z",
		"1341100972250.5":             "2012-07-01T00:02:52.2505Z",
		"1341100972250.1234567":       "2012-07-01T00:02:52.250123456Z",
		"1341100972.1234567899":       "2012-07-01T00:02:52.123456789Z",
		"98765432109.000001":          "5099-10-02T10:15:09.000001Z",
		"253402300799999":             "9999-12-31T23:59:59.999Z",
		"253402300799999.999999":      "9999-12-31T23:59:59.999999999Z",
		"2012-07-01T00:02:52Z":        "2012-07-01T00:02:52Z",
		"2012-07-01T02:02:52.5+02:00": "2012-07-01T00:02:52.5Z",

		"253402300800000": "", "1341100972250000": "", "99999999999999999999": "", "-1": "", "nan": "", "inf": "",
		"1e9": "", "+5": "", "0x1p30": "", "1_000": "", ".5": "", "1.": "", "1.+5": "", "١": "", "5\n": "",
		"1970-01-01T00:00:00+02:00": "", "": "", "1.2.3": "", "2012-07-01": "", "2012-07-01T00:02:52": "", "yesterday": "",
	} {
		got, err := rows.ParseTime(value)
		switch {
		case want == "":
			if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("time %q: must be Unix seconds, ", value)) {
				t.Errorf("%q: %v, %v, want an error", value, got, err)
			}
		case err != nil || got.Format(time.RFC3339Nano) != want:
			t.Errorf("%q: %v, %v, want %v", value, got, err, want)
		}
	}
}

func TestParseID(t *testing.T) {
	for _, id := range []string{"223789", "a", "Ünï-日本", "...", "__x", "___", strings.Repeat("x", 1500)} {
		if err := rows.ParseID(id); err != nil {
			t.Error(err)
		}
	}
	for id, want := range map[string]string{
		"":                       `id "": it is empty`,
		strings.Repeat("ü", 751): `id "` + strings.Repeat("ü", 80) + `": it has 1502 bytes, but the limit is 1500`,
		"a\xff":                  `id "a\xff": it is not valid UTF-8`,
		"a/b":                    `id "a/b": it contains a slash, which separates the parts of a path`,
		".":                      `id ".": it is a single or double dot`,
		"..":                     `id "..": it is a single or double dot`,
		"__x__":                  `id "__x__": it begins and ends with two underscores, which Firestore reserves`,
		"____":                   `id "____": it begins and ends with two underscores, which Firestore reserves`,
	} {
		if got := fmt.Sprint(rows.ParseID(id)); got != want {
			t.Errorf("%q: %s, want %s", id, got, want)
		}
	}
}
