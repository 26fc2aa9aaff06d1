package console

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

func TestSafe(t *testing.T) {
	for text, want := range map[string]string{
		"plain, зоя → 👪\n\tindented\n": "plain, зоя → 👪\n\tindented\n",
		"\x1b[2J\a\r\u009b\u202e":      `\u001b[2J\u0007\u000d\u009b\u202e`,
		"\U000e0041":                   `\udb40\udc41`, // a tag
		"\x9b1m\xff":                   "\ufffd1m\ufffd",
	} {
		var out strings.Builder
		if n, err := Safe(&out).Write([]byte(text)); out.String() != want || n != len(text) || err != nil {
			t.Errorf("of %q it writes %q, want %q; %d, %v", text, &out, want, n, err)
		}
	}
}

// Whatever a client wrote: Printable is one line of characters that have a form, and
// JSON that goes through Safe says what it said before.
func FuzzPrintable(f *testing.F) {
	for _, s := range []string{"", "alice", "\x1b]0;title\a", "a\r\nb\u2028c\u0085", "\u202eevil\u2066", "\x9b\xff", "\U000e0041\u200d", "\ue000", `\u001b"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := Printable(s)
		if at := strings.IndexFunc(p, func(r rune) bool { return !unicode.IsPrint(r) }); at >= 0 {
			t.Errorf("Printable(%q) has %q", s, p[at:])
		}
		if again := Printable(p); again != p {
			t.Errorf("Printable(%q) is %q, and of that %q", s, p, again)
		}
		var out strings.Builder
		if err := json.NewEncoder(Safe(&out)).Encode(map[string]string{s: s}); err != nil {
			t.Fatal(err)
		}
		if at := strings.IndexFunc(out.String(), func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }); at >= 0 {
			t.Errorf("Safe lets %q through, of %q", out.String()[at:], s)
		}
		whole := strings.ToValidUTF8(s, "")
		var got map[string]string
		if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
			t.Errorf("%q: %v", &out, err)
		} else if whole == s && got[s] != s {
			t.Errorf("%q is %q after Safe", s, got)
		}
	})
}
