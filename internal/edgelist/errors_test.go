package edgelist

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExcerpt(t *testing.T) {
	tests := []struct {
		name string
		text string
		want string
	}{
		{name: "empty", text: "", want: `""`},
		{name: "as it is", text: `1 "ü"`, want: `"1 \"ü\""`},
		{name: "what cannot be printed", text: "\x1b[31m\t\xff", want: `"\x1b[31m\t\xff"`},
		{name: "the longest", text: strings.Repeat("x", 80), want: `"` + strings.Repeat("x", 80) + `"`},
		{name: "a byte more", text: strings.Repeat("x", 81), want: `"` + strings.Repeat("x", 80) + `"...`},
		{name: "cut between characters", text: strings.Repeat("日", 30), want: `"` + strings.Repeat("日", 26) + `"...`},
		{name: "not UTF-8", text: strings.Repeat("\x80", 200), want: `"` + strings.Repeat(`\x80`, 76) + `"...`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, excerpt(test.text)); diff != "" {
				t.Errorf("excerpt (-want +got):\n%s", diff)
			}
		})
	}
}
