package edgelist

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// ParseTime reads the time of a row, and returns it in UTC:
//
//   - 1341100972 or 1341100972.25, seconds since 1970, when the whole part is at
//     most 100,000,000,000 (the year 5138);
//   - 1341100972250, milliseconds since 1970, when it is more;
//   - 2012-07-01T02:02:52+02:00, RFC 3339, with or without a fraction.
//
// The year must be 1970 to 9999 in UTC: Firestore stores no later one, and an
// earlier one is a mistake. Milliseconds before 3 March 1973 are taken for seconds.
// Digits after the nanosecond are dropped. An error names the value and the rule.
func ParseTime(s string) (time.Time, error) {
	t, ok := parseUnix(s)
	if !ok {
		var err error
		if t, err = time.Parse(time.RFC3339, s); err != nil {
			return time.Time{}, fmt.Errorf("time %s: want Unix seconds, Unix milliseconds or RFC 3339, "+
				"as in 1341100972, 1341100972250 or 2012-07-01T00:02:52Z", excerpt(s))
		}
	}
	t = t.UTC()
	if year := t.Year(); year < 1970 || year > 9999 {
		return time.Time{}, fmt.Errorf("time %s: the year is %d, want 1970 to 9999", excerpt(s), year)
	}
	return t, nil
}

// parseUnix reads seconds or milliseconds since 1970: digits, and perhaps a point
// and more digits. ok is false if s is not of that form.
func parseUnix(s string) (t time.Time, ok bool) {
	whole, fraction, point := strings.Cut(s, ".")
	if !isDigits(whole) || point && !isDigits(fraction) {
		return time.Time{}, false
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	t, unit := time.Unix(n, 0), time.Second
	if n > maxUnixSeconds {
		t, unit = time.UnixMilli(n), time.Millisecond
	}
	// The fraction is added digit by digit: a float64 is off by up to 119 ns here.
	for _, digit := range []byte(fraction) {
		unit /= 10
		t = t.Add(unit * time.Duration(digit-'0'))
	}
	return t, true
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// ParseID returns nil if s can be the id of a Firestore document: 1 to 1,500 bytes
// of valid UTF-8 without '/', other than "." and "..", and not of the form __x__.
// An error names the value and the rule. The rules are Firestore's own: limits.go
// names their source.
func ParseID(s string) error {
	if err := checkID(s); err != nil {
		return fmt.Errorf("id %s: %w", excerpt(s), err)
	}
	return nil
}

func checkID(s string) error {
	switch {
	case s == "":
		return errors.New("it is empty")
	case len(s) > maxIDBytes:
		return fmt.Errorf("it has %d bytes, the most is %d", len(s), maxIDBytes)
	case !utf8.ValidString(s):
		return errors.New("it is not valid UTF-8")
	case strings.Contains(s, "/"):
		return errors.New("it contains a slash, which separates the parts of a path")
	case s == ".", s == "..":
		return errors.New("it is a single or double dot")
	case len(s) >= len("____") && strings.HasPrefix(s, "__") && strings.HasSuffix(s, "__"):
		return errors.New("it begins and ends with two underscores, which Firestore reserves")
	}
	return nil
}
