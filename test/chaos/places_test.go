//go:build long

package chaos

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// An entry that falls is reported. One that was deleted and created again is another entry.
func TestFallingEntriesAreReported(t *testing.T) {
	const entry, other = "users/ann/timeline/a", "users/bob/timeline/a"
	type seen struct {
		path    string
		created int // which of the entry's lives
		at      int64
	}
	for name, tt := range map[string]struct {
		looks []seen
		want  string // all that is reported
	}{
		"an entry falls":                {[]seen{{entry, 1, 7}, {entry, 1, 5}}, entry + " stands at 5, and stood at 7 before"},
		"it falls after a lift":         {[]seen{{entry, 1, 5}, {entry, 1, 7}, {entry, 1, 6}}, entry + " stands at 6, and stood at 7 before"},
		"a fall is reported once":       {[]seen{{entry, 1, 7}, {entry, 1, 5}, {entry, 1, 5}}, entry + " stands at 5, and stood at 7 before"},
		"an entry stays":                {[]seen{{entry, 1, 7}, {entry, 1, 7}}, ""},
		"a comment lifts it":            {[]seen{{entry, 1, 5}, {entry, 1, 7}}, ""},
		"it is created again":           {[]seen{{entry, 1, 7}, {entry, 2, 5}}, ""},
		"another reader's stands lower": {[]seen{{entry, 1, 7}, {other, 1, 5}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			p := newPlaces(1, func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) })
			for _, s := range tt.looks {
				p.see(s.path, time.Unix(int64(s.created), 0), s.at)
			}
			if all := strings.Join(got, "; "); all != tt.want {
				t.Errorf("reported %q, want %q", all, tt.want)
			}
		})
	}
}
