package rows

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// maxIDBytes is the longest document id that Firestore accepts, in bytes of
	// UTF-8. Source: "Quotas and limits", section "Collections, documents, and
	// fields", https://docs.cloud.google.com/firestore/quotas, as of 2026; not
	// tried in production.
	maxIDBytes = 1500

	// maxUnixSeconds is where a number stops being seconds and starts being
	// milliseconds: the year 5138 in seconds, 3 March 1973 in milliseconds.
	maxUnixSeconds = 100_000_000_000
)

// ParseTime returns the time of a row in UTC, from one of these forms:
//
//   - 1341100972 or 1341100972.25, seconds since 1970, when the whole part is at
//     most 100,000,000,000;
//   - 1341100972250, milliseconds since 1970, when it is more;
//   - 2012-07-01T02:02:52+02:00, RFC 3339.
//
// The year must be 1970 to 9999 in UTC: Firestore stores no later one, and an
// earlier one is a mistake. Digits after the nanosecond are dropped; Firestore
// keeps microseconds.
func ParseTime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, s)
	if unixTime.MatchString(s) {
		t, err = parseUnix(s)
	}
	t = t.UTC()
	if year := t.Year(); err != nil || year < 1970 || year > 9999 {
		return time.Time{}, fmt.Errorf("time %.80q: must be Unix seconds, Unix milliseconds or RFC 3339, from 1970 to 9999, "+
			"as in 1341100972, 1341100972250 or 2012-07-01T00:02:52Z", s)
	}
	return t, nil
}

var unixTime = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// parseUnix reads seconds or milliseconds since 1970. It uses integers, because a
// float64 would change the time, and the post's id, which depends on the time.
func parseUnix(s string) (time.Time, error) {
	whole, fraction, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return time.Time{}, err
	}
	billionths, err := strconv.ParseInt((fraction + "000000000")[:9], 10, 64)
	if n > maxUnixSeconds {
		return time.UnixMilli(n).Add(time.Duration(billionths / 1000)), err
	}
	return time.Unix(n, billionths), err
}

// ParseID returns nil if s can be the id of a Firestore document: 1 to 1,500 bytes
// of valid UTF-8 without '/', other than "." and "..", and not of the form __x__.
// An error names the value and the rule.
func ParseID(s string) error {
	if err := checkID(s); err != nil {
		return fmt.Errorf("id %.80q: %w", s, err)
	}
	return nil
}

func checkID(s string) error {
	switch {
	case s == "":
		return errors.New("it is empty")
	case len(s) > maxIDBytes:
		return fmt.Errorf("it has %d bytes, but the limit is %d", len(s), maxIDBytes)
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
