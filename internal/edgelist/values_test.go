package edgelist

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseTime(t *testing.T) {
	const format = ": want Unix seconds, Unix milliseconds or RFC 3339, as in 1341100972, 1341100972250 or 2012-07-01T00:02:52Z"
	tests := []struct {
		name    string
		value   string
		want    string // RFC 3339 in UTC
		wantErr string
	}{
		{name: "the first second", value: "0", want: "1970-01-01T00:00:00Z"},
		{name: "seconds", value: "1341100972", want: "2012-07-01T00:02:52Z"},
		{name: "leading zeros", value: "001341100972", want: "2012-07-01T00:02:52Z"},
		{name: "seconds with a fraction", value: "1341100972.000001", want: "2012-07-01T00:02:52.000001Z"},
		{name: "a fraction finer than a nanosecond", value: "1341100972.1234567899", want: "2012-07-01T00:02:52.123456789Z"},
		{name: "the last number in seconds", value: "100000000000", want: "5138-11-16T09:46:40Z"},
		{name: "the first number in milliseconds", value: "100000000001", want: "1973-03-03T09:46:40.001Z"},
		{name: "milliseconds", value: "1341100972250", want: "2012-07-01T00:02:52.25Z"},
		{name: "milliseconds with a fraction", value: "1341100972250.5", want: "2012-07-01T00:02:52.2505Z"},
		{name: "the last millisecond", value: "253402300799999", want: "9999-12-31T23:59:59.999Z"},
		{name: "RFC 3339", value: "2012-07-01T00:02:52Z", want: "2012-07-01T00:02:52Z"},
		{name: "RFC 3339 with an offset and a fraction", value: "2012-07-01T02:02:52.5+02:00", want: "2012-07-01T00:02:52.5Z"},

		{name: "a millisecond too late", value: "253402300800000", wantErr: `time "253402300800000": the year is 10000, want 1970 to 9999`},
		{name: "microseconds", value: "1341100972250000", wantErr: `time "1341100972250000": the year is 44467, want 1970 to 9999`},
		{name: "too many digits", value: "99999999999999999999", wantErr: `time "99999999999999999999"` + format},
		{name: "before 1970", value: "1969-12-31T23:59:59Z", wantErr: `time "1969-12-31T23:59:59Z": the year is 1969, want 1970 to 9999`},
		{name: "before 1970 in UTC", value: "1970-01-01T00:00:00+02:00", wantErr: `time "1970-01-01T00:00:00+02:00": the year is 1969, want 1970 to 9999`},
		{name: "empty", value: "", wantErr: `time ""` + format},
		{name: "negative", value: "-1", wantErr: `time "-1"` + format},
		{name: "exponent", value: "1.3e9", wantErr: `time "1.3e9"` + format},
		{name: "no digit after the point", value: "1341100972.", wantErr: `time "1341100972."` + format},
		{name: "no digit before the point", value: ".5", wantErr: `time ".5"` + format},
		{name: "two points", value: "1.2.3", wantErr: `time "1.2.3"` + format},
		{name: "no zone", value: "2012-07-01T00:02:52", wantErr: `time "2012-07-01T00:02:52"` + format},
		{name: "only a date", value: "2012-07-01", wantErr: `time "2012-07-01"` + format},
		{name: "a long value", value: strings.Repeat("x", 200), wantErr: `time "` + strings.Repeat("x", 80) + `"...` + format},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := ParseTime(test.value)
			if diff := cmp.Diff(test.wantErr, errorText(err)); diff != "" {
				t.Fatalf("error (-want +got):\n%s", diff)
			}
			if err != nil {
				return
			}
			if diff := cmp.Diff(test.want, got.Format(time.RFC3339Nano)); diff != "" {
				t.Errorf("time (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseID(t *testing.T) {
	tests := []struct {
		name    string
		id      string
		wantErr string
	}{
		{name: "a number", id: "223789"},
		{name: "one byte", id: "a"},
		{name: "other scripts", id: "Ünï-日本"},
		{name: "three dots", id: "..."},
		{name: "underscores at the start", id: "__x"},
		{name: "three underscores", id: "___"},
		{name: "the longest", id: strings.Repeat("x", 1500)},

		{name: "empty", id: "", wantErr: `id "": it is empty`},
		{name: "too long", id: strings.Repeat("ü", 751), wantErr: `id "` + strings.Repeat("ü", 40) + `"...: it has 1502 bytes, the most is 1500`},
		{name: "not UTF-8", id: "a\xff", wantErr: `id "a\xff": it is not valid UTF-8`},
		{name: "slash", id: "a/b", wantErr: `id "a/b": it contains a slash, which separates the parts of a path`},
		{name: "dot", id: ".", wantErr: `id ".": it is a single or double dot`},
		{name: "two dots", id: "..", wantErr: `id "..": it is a single or double dot`},
		{name: "reserved", id: "__x__", wantErr: `id "__x__": it begins and ends with two underscores, which Firestore reserves`},
		{name: "reserved, nothing between", id: "____", wantErr: `id "____": it begins and ends with two underscores, which Firestore reserves`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.wantErr, errorText(ParseID(test.id))); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}
